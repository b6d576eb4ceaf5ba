package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
)

// A rule does Action to a share of the requests that match.
//
//	refuse   answer Status at once; the server never sees the request
//	delay    wait DelayMs, then go on with the next rule
//	cut      forward, then break the answer off after AfterBytes
//	lose     forward, wait for the whole answer, then break off without passing it on
//	expire   answer a watch with the event that says that its version is too old
type rule struct {
	Verbs       []string `json:"verbs"` // HTTP methods, WATCH for a watch; none: all
	Path        string   `json:"path"`  // regular expression over path and query
	Probability float64  `json:"probability"`
	Action      string   `json:"action"`
	Status      int      `json:"status"`
	RetryAfter  int      `json:"retry_after"` // seconds; 0: not said
	DelayMs     [2]int   `json:"delay_ms"`    // from, to
	AfterBytes  [2]int   `json:"after_bytes"`
	Connection  bool     `json:"connection"` // cut and lose: the whole connection, not one request
	CountMax    int      `json:"count_max"`  // 0: no end

	pattern *regexp.Regexp
	hits    int
}

// fault is what the rules have decided for one request.
type fault struct {
	delayMs    int
	refuse     *rule
	expire     bool
	lose       bool
	cutAfter   int // bytes; -1: not at all
	connection bool
}

type rules struct {
	mutex  sync.Mutex
	list   []*rule
	random *rand.Rand
	seen   int
	writes int
}

func newRules(seed uint64) *rules {
	return &rules{random: rand.New(rand.NewPCG(seed, 0x7475747469))}
}

var actions = []string{"refuse", "delay", "cut", "lose", "expire"}

func (r *rules) replace(list []*rule) error {
	for _, one := range list {
		if !slices.Contains(actions, one.Action) {
			return fmt.Errorf("unknown action %q", one.Action)
		}
		pattern, err := regexp.Compile(one.Path)
		if err != nil {
			return err
		}
		one.pattern = pattern
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.list = list
	return nil
}

func (r *rules) decide(verb, target string) fault {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.seen++
	if verb != "GET" && verb != "WATCH" {
		r.writes++
	}
	result := fault{cutAfter: -1}
	for _, one := range r.list {
		if !one.matches(verb, target) || r.random.Float64() >= one.Probability {
			continue
		}
		one.hits++
		if one.Action == "delay" {
			result.delayMs += r.between(one.DelayMs)
			continue
		}
		r.apply(one, &result)
		break
	}
	return result
}

func (r *rules) apply(one *rule, result *fault) {
	result.connection = one.Connection
	switch one.Action {
	case "refuse":
		result.refuse = one
	case "expire":
		result.expire = true
	case "lose":
		result.lose = true
	case "cut":
		result.cutAfter = r.between(one.AfterBytes)
	}
}

func (r *rules) between(bounds [2]int) int {
	return bounds[0] + r.random.IntN(max(1, bounds[1]-bounds[0]+1))
}

func (r *rule) matches(verb, target string) bool {
	return (r.CountMax == 0 || r.hits < r.CountMax) &&
		(len(r.Verbs) == 0 || slices.Contains(r.Verbs, verb)) && r.pattern.MatchString(target)
}

type stats struct {
	Requests int   `json:"requests"`
	Writes   int   `json:"writes"` // requests that are neither a read nor a watch
	Hits     []int `json:"hits"`   // one number a rule
}

func (r *rules) stats() stats {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	result := stats{Requests: r.seen, Writes: r.writes, Hits: []int{}}
	for _, one := range r.list {
		result.Hits = append(result.Hits, one.hits)
	}
	return result
}
