package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

type proxy struct {
	upstream  string
	transport *http.Transport
	rules     *rules
	// Held for writing while everything is paused; every step of a request takes it for reading.
	gate sync.RWMutex

	mutex       sync.Mutex
	connections map[net.Conn]bool // guarded by mutex
}

func newProxy(upstream string, transport *http.Transport, rules *rules) *proxy {
	return &proxy{upstream: upstream, transport: transport, rules: rules,
		connections: map[net.Conn]bool{}}
}

type connectionKey struct{}

func (p *proxy) server() *http.Server {
	return &http.Server{
		Handler:   http.HandlerFunc(p.handle),
		ConnState: p.track,
		ConnContext: func(ctx context.Context, connection net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, connection)
		},
	}
}

func (p *proxy) track(connection net.Conn, state http.ConnState) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	switch state {
	case http.StateNew:
		p.connections[connection] = true
	case http.StateClosed, http.StateHijacked:
		delete(p.connections, connection)
	}
}

func (p *proxy) cutAll() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for connection := range p.connections {
		connection.Close()
	}
}

// step waits while the proxy is paused.
func (p *proxy) step() {
	p.gate.RLock()
	p.gate.RUnlock() //nolint:staticcheck // passing through is the point
}

func (p *proxy) handle(w http.ResponseWriter, r *http.Request) {
	p.step()
	decided := p.rules.decide(verbOf(r), r.URL.RequestURI())
	if decided.delayMs > 0 && !sleep(r.Context(), decided.delayMs) {
		return
	}
	p.step()
	if decided.refuse != nil {
		refuse(w, decided.refuse)
		return
	}
	if decided.expire {
		expire(w)
		return
	}
	answer, err := p.forward(r, decided.lose)
	if err != nil {
		breakOff(r, false) // as if the API server itself had gone
	}
	defer answer.Body.Close()
	if decided.lose {
		io.Copy(io.Discard, answer.Body)
		breakOff(r, decided.connection)
	}
	p.pass(w, r, answer, decided)
}

func verbOf(r *http.Request) string {
	if watch := r.URL.Query().Get("watch"); watch == "true" || watch == "1" {
		return "WATCH"
	}
	return r.Method
}

// sleep says whether the client is still there afterwards.
func sleep(ctx context.Context, ms int) bool {
	select {
	case <-time.After(time.Duration(ms) * time.Millisecond):
		return true
	case <-ctx.Done():
		return false
	}
}

// breakOff ends the request without an ordinary end: a reset stream in HTTP/2, a closed connection
// in HTTP/1.1, or the closed connection in both.
func breakOff(r *http.Request, connection bool) {
	if connection {
		r.Context().Value(connectionKey{}).(net.Conn).Close()
	}
	panic(http.ErrAbortHandler)
}

func refuse(w http.ResponseWriter, one *rule) {
	w.Header().Set("Content-Type", "application/json")
	if one.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(one.RetryAfter))
	}
	w.WriteHeader(one.Status)
	json.NewEncoder(w).Encode(failure(one.Status))
}

func expire(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"type": "ERROR", "object": failure(http.StatusGone)})
}

func failure(status int) map[string]any {
	return map[string]any{
		"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{}, "status": "Failure",
		"message": fmt.Sprintf("injected by the fault proxy: %d", status),
		"reason":  reasons[status], "code": status,
	}
}

var reasons = map[int]string{409: "Conflict", 410: "Expired", 429: "TooManyRequests",
	500: "InternalError", 503: "ServiceUnavailable", 504: "Timeout"}

// Headers that belong to one connection and not to the message.
var hopHeaders = []string{"Connection", "Keep-Alive", "Transfer-Encoding", "Upgrade", "Te"}

// forward sends the request on. A write whose answer is to be lost must happen even when the
// client has already gone.
func (p *proxy) forward(r *http.Request, detached bool) (*http.Response, error) {
	ctx := r.Context()
	if detached {
		ctx = context.WithoutCancel(ctx)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	target := p.upstream + r.URL.RequestURI()
	request, err := http.NewRequestWithContext(ctx, r.Method, target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	copyHeaders(request.Header, r.Header)
	if len(p.transport.TLSClientConfig.Certificates) > 0 {
		request.Header.Del("Authorization")
	}
	return p.transport.RoundTrip(request)
}

func copyHeaders(to, from http.Header) {
	for name, values := range from {
		if !slices.Contains(hopHeaders, name) {
			to[name] = values
		}
	}
}

// pass hands the answer on piece by piece, a watch event as soon as it comes.
func (p *proxy) pass(w http.ResponseWriter, r *http.Request, answer *http.Response, f fault) {
	copyHeaders(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	control := http.NewResponseController(w)
	left := f.cutAfter
	buffer := make([]byte, 32*1024)
	for {
		n, err := answer.Body.Read(buffer)
		p.step()
		if left >= 0 && n >= left {
			w.Write(buffer[:left])
			control.Flush()
			breakOff(r, f.connection)
		}
		if left >= 0 {
			left -= n
		}
		if _, failed := w.Write(buffer[:n]); failed != nil {
			return
		}
		control.Flush()
		if err == io.EOF {
			return
		}
		if err != nil {
			breakOff(r, false)
		}
	}
}
