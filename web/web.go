// Package web is the dashboard for browsers, as files inside the program: what
// web/build made of the TypeScript in web/app. It speaks the public HTTP API
// and asks nobody else for anything.
package web

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"strings"
	"sync"
)

//go:embed dist
var dist embed.FS

// Policy is what the page may do: run its own scripts and speak to the server
// it came from. Styles may be inline because the editor and the terminal write
// theirs at run time.
const Policy = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// index is the file that GET / answers with.
const index = "index.html"

// Files are the built files, by name.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is embedded, or this does not compile
	}
	return files
}

// Site serves the dashboard.
type Site struct {
	files map[string]*file
}

// file is one of them, as it is and as it is sent.
type file struct {
	body, packed []byte
	kind         string
	pack         sync.Once
}

// New reads the embedded files.
func New() (*Site, error) {
	s := &Site{files: map[string]*file{}}
	files := Files()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		s.files[name] = &file{body: body, kind: contentType(name)}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the dashboard: %w", err)
	}
	return s, nil
}

// contentType knows the few kinds there are: a machine's own table may say
// something else, or nothing.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// Index answers with the page itself. It is asked for each time, as it names
// the other files by what is in them.
func (s *Site) Index(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("Content-Security-Policy", Policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	s.files[index].send(w, r)
}

// hashed are names that change with what is in the file.
var hashed = regexp.MustCompile(`-[A-Z0-9]{8}\.(js|css)$`)

// Asset answers with one of the other files and reports whether there is such a
// one. Browsers keep those for ever whose names change with what is in them.
func (s *Site) Asset(w http.ResponseWriter, r *http.Request, name string) bool {
	f := s.files["assets/"+name]
	if f == nil {
		return false
	}
	kept := "no-cache"
	if hashed.MatchString(name) {
		kept = "public, max-age=31536000, immutable"
	}
	w.Header().Set("Cache-Control", kept)
	f.send(w, r)
	return true
}

func (f *file) send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", f.kind)
	h.Set("Vary", "Accept-Encoding")
	body := f.body
	if takesGzip(r) {
		h.Set("Content-Encoding", "gzip")
		body = f.compressed()
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a client that is gone needs none
	}
}

// takesGzip reports whether a client wants gzip, which it can also say no to.
func takesGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(strings.ReplaceAll(part, " ", ""), ";")
		if strings.EqualFold(name, "gzip") {
			return strings.Trim(strings.TrimPrefix(quality, "q="), "0.") != "" || quality == ""
		}
	}
	return false
}

// compressed is the file as gzip, made when it is first asked for.
func (f *file) compressed() []byte {
	f.pack.Do(func() {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is a good one
		_, _ = z.Write(f.body)
		_ = z.Close() // into memory
		f.packed = b.Bytes()
	})
	return f.packed
}
