//go:build linux

package docs_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// architecture.md names every package, or one that it is below, and names none
// that does not exist.
func TestArchitectureNamesThePackages(t *testing.T) {
	text, err := os.ReadFile("architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.+?) \\|").FindAllStringSubmatch(string(text), -1) {
		for _, m := range inlineCode.FindAllStringSubmatch(row[1], -1) {
			named[m[1]] = true
			if info, err := os.Stat(filepath.Join("..", m[1])); m[1] != "reeve" && (err != nil || !info.IsDir()) {
				t.Errorf("architecture.md names %s, which is no package", m[1])
			}
		}
	}
	for _, dir := range packages(t) {
		for at := dir; !named[at]; at = filepath.Dir(at) {
			if at == "." {
				t.Errorf("architecture.md does not say what %s holds", dir)
				break
			}
		}
	}
}

// packages are the folders with Go code, tests aside, below the repository.
func packages(t *testing.T) (dirs []string) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		dir, _ := filepath.Rel("..", filepath.Dir(path))
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && dir != "." && (len(dirs) == 0 || dirs[len(dirs)-1] != dir) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	if err != nil || len(dirs) < 50 {
		t.Fatalf("%d packages, %v", len(dirs), err)
	}
	return dirs
}
