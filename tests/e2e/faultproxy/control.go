package main

import (
	"encoding/json"
	"net/http"
)

func (p *proxy) controls() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /rules", p.setRules)
	mux.HandleFunc("POST /cut", func(http.ResponseWriter, *http.Request) { p.cutAll() })
	mux.HandleFunc("POST /pause", func(http.ResponseWriter, *http.Request) { p.gate.Lock() })
	mux.HandleFunc("POST /resume", func(http.ResponseWriter, *http.Request) { p.gate.Unlock() })
	mux.HandleFunc("GET /stats", func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(p.rules.stats())
	})
	return mux
}

func (p *proxy) setRules(w http.ResponseWriter, r *http.Request) {
	var list []*rule
	err := json.NewDecoder(r.Body).Decode(&list)
	if err == nil {
		err = p.rules.replace(list)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
}
