package main

import (
	"bytes"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"time"
)

// develop serves the source before a daemon: the page is rebuilt whenever it is
// loaded, everything else is the daemon's.
func develop(daemon string) (http.Handler, error) {
	to, err := url.Parse(daemon)
	if err != nil {
		return nil, err
	}
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		if r.In.Header.Get("Origin") != "" {
			r.Out.Header.Set("Origin", to.Scheme+"://"+to.Host)
		}
	}}
	d := &developer{daemon: proxy}
	return d, nil
}

type developer struct {
	daemon http.Handler
	mu     sync.Mutex // guards built
	built  files
}

func (d *developer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, asset := strings.CutPrefix(r.URL.Path, "/assets/")
	switch {
	case r.URL.Path == "/":
		built, err := build()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		d.set(built)
		http.ServeContent(w, r, "index.html", time.Time{}, bytes.NewReader(built["index.html"]))
	case asset:
		http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(d.get("assets/"+name)))
	default:
		d.daemon.ServeHTTP(w, r)
	}
}

func (d *developer) set(built files) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.built = built
}

func (d *developer) get(name string) []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.built[name]
}
