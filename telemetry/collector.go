package telemetry

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// The variables every OpenTelemetry program knows. Those for traces only win.
const (
	varPrefix       = "OTEL_EXPORTER_OTLP_"
	varTracesPrefix = "OTEL_EXPORTER_OTLP_TRACES_"
	tracesPath      = "/v1/traces"
	defaultTimeout  = 10 * time.Second
)

// collector is where spans go.
type collector struct {
	url     string // complete
	headers map[string]string
	timeout time.Duration // of one batch, retries included
	gzip    bool
	tls     *tls.Config // nil: the system's
}

// findCollector reads the configuration; nil means that traces are off.
func findCollector(cfg Config) (*collector, error) {
	if strings.EqualFold(cfg.Getenv("OTEL_SDK_DISABLED"), "true") {
		return nil, nil
	}
	address, err := findAddress(cfg)
	if address == "" || err != nil {
		return nil, err
	}
	get := func(name string) string {
		return cmp.Or(cfg.Getenv(varTracesPrefix+name), cfg.Getenv(varPrefix+name))
	}
	c := &collector{url: address, headers: parsePairs(get("HEADERS")), timeout: defaultTimeout,
		gzip: strings.EqualFold(get("COMPRESSION"), "gzip")}
	if ms, err := strconv.ParseInt(get("TIMEOUT"), 10, 32); err == nil && ms > 0 {
		c.timeout = time.Duration(ms) * time.Millisecond
	}
	if strings.EqualFold(get("PROTOCOL"), "grpc") {
		cfg.Logger.Warn("traces are sent as OTLP over HTTP, not over gRPC: the collector's HTTP port is usually 4318", "collector", redactURL(address))
	}
	if file := get("CERTIFICATE"); file != "" {
		if c.tls, err = trust(file); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// findAddress returns the complete address to post to, or none.
func findAddress(cfg Config) (string, error) {
	general, traces := cfg.Getenv(varPrefix+"ENDPOINT"), cfg.Getenv(varTracesPrefix+"ENDPOINT")
	if cfg.Endpoint == "" && strings.EqualFold(cfg.Getenv("OTEL_TRACES_EXPORTER"), "none") {
		return "", nil
	}
	// A setting that only repeats the general variable is no stronger than it.
	if cfg.Endpoint != "" && cfg.Endpoint != general {
		return checkAddress("otlp-endpoint", cfg.Endpoint, true)
	}
	if traces != "" {
		return checkAddress(varTracesPrefix+"ENDPOINT", traces, false)
	}
	return checkAddress(varPrefix+"ENDPOINT", general, true)
}

// checkAddress completes an address. The general ones are a base to which the
// path is added; that for traces is complete by definition.
func checkAddress(field, address string, base bool) (string, error) {
	if address == "" {
		return "", nil
	}
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		e := process.Invalid(field, "this is not the address of a trace collector")
		e.Hint = "give a URL such as http://127.0.0.1:4318"
		return "", e // the address is not repeated: it may hold a password
	}
	if base && !strings.HasSuffix(u.Path, tracesPath) {
		u.Path = strings.TrimSuffix(u.Path, "/") + tracesPath
	}
	return u.String(), nil
}

// redactURL takes what may be secret out of an address, for the log.
func redactURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User, u.RawQuery = nil, ""
	return u.String()
}

// trust makes certificates signed by those of a file acceptable.
func trust(file string) (*tls.Config, error) {
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, &process.Error{Code: process.CodeInvalid, Field: varPrefix + "CERTIFICATE",
			Message: "the certificate of the trace collector cannot be read", Err: err}
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, process.Invalid(varPrefix+"CERTIFICATE", "%s holds no PEM certificate", file)
	}
	return &tls.Config{RootCAs: pool}, nil
}

// parsePairs reads "a=1,b=2"; values may be percent-encoded. What is no pair is
// left out, as the specification wants it.
func parsePairs(s string) map[string]string {
	pairs := map[string]string{}
	for item := range strings.SplitSeq(s, ",") {
		k, v, ok := strings.Cut(item, "=")
		k, v = strings.TrimSpace(k), strings.TrimSpace(v)
		if !ok || k == "" {
			continue
		}
		if plain, err := url.PathUnescape(v); err == nil {
			v = plain
		}
		pairs[k] = v
	}
	return pairs
}
