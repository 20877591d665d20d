//go:build linux

package docs_test

import (
	"os"
	"path/filepath"
	"strings"
)

// write puts a block that is a file where the document says that it is.
func (s *session) write(name, text string) {
	s.t.Helper()
	s.start()
	path := filepath.Join(s.home, "work", name)
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		path = filepath.Join(s.home, below)
	}
	s.make(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(s.stand.adapt(text)), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// program runs a program that no command of the document runs by its name.
func (s *session) program(b block) {
	s.t.Helper()
	if b.file != "" {
		if !strings.Contains(s.doc.text, "reeve exec "+b.file) {
			s.t.Errorf("%s: no command runs %s", b.where(s.doc), b.file)
		}
		return
	}
	s.write("example.ts", b.text)
	if out, code := s.execute("reeve exec example.ts\n"); code != 0 {
		s.t.Errorf("%s: exit code %d\n%s", b.where(s.doc), code, out)
	}
}
