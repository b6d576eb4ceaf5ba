// Faultproxy stands between a scheduler and an API server and misbehaves on request: it refuses,
// delays, cuts answers in the middle, and loses the answer of a write that the server has done.
//
//	client ──TLS, HTTP/2 or 1.1──> listen ──rules──> upstream
//	test   ──plain HTTP──────────> control: /rules /cut /pause /resume /stats
//
// It prints one JSON line with its two addresses and then works until it is killed. Which request
// a rule hits is drawn from the seed and the request's number.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
)

type options struct {
	listen, control, upstream string
	cert, key                 string
	ca, clientCert, clientKey string
	seed                      int64
}

func parseOptions() options {
	var o options
	flag.StringVar(&o.listen, "listen", "127.0.0.1:0", "address for the scheduler")
	flag.StringVar(&o.control, "control", "127.0.0.1:0", "address for the test")
	flag.StringVar(&o.upstream, "upstream", "", "URL of the API server")
	flag.StringVar(&o.cert, "cert", "", "certificate that the scheduler sees (PEM file)")
	flag.StringVar(&o.key, "key", "", "its key")
	flag.StringVar(&o.ca, "ca", "", "authority of the API server (PEM file)")
	flag.StringVar(&o.clientCert, "client-cert", "",
		"who the proxy is to the API server; empty: bearer tokens are passed through")
	flag.StringVar(&o.clientKey, "client-key", "", "its key")
	flag.Int64Var(&o.seed, "seed", 0, "of all draws")
	flag.Parse()
	return o
}

func main() {
	o := parseOptions()
	log.SetFlags(log.Ltime | log.Lmicroseconds)
	transport, err := newTransport(o)
	if err != nil {
		log.Fatalf("faultproxy: %v", err)
	}
	p := newProxy(o.upstream, transport, newRules(uint64(o.seed)))
	if err := serve(o, p); err != nil {
		log.Fatalf("faultproxy: %v", err)
	}
}

func newTransport(o options) (*http.Transport, error) {
	config := &tls.Config{}
	if o.ca != "" {
		pem, err := os.ReadFile(o.ca)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM(pem)
	}
	if o.clientCert != "" {
		pair, err := tls.LoadX509KeyPair(o.clientCert, o.clientKey)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{pair}
	}
	// Compression is between client and server: the proxy hands bytes on as they are.
	return &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true,
		DisableCompression: true}, nil
}

func serve(o options, p *proxy) error {
	front, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	back, err := net.Listen("tcp", o.control)
	if err != nil {
		return err
	}
	line, err := json.Marshal(map[string]string{
		"listen": front.Addr().String(), "control": back.Addr().String()})
	if err != nil {
		return err
	}
	fmt.Println(string(line))
	go func() { log.Fatal(http.Serve(back, p.controls())) }()
	return p.server().ServeTLS(front, o.cert, o.key)
}
