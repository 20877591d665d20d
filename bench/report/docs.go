package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Docs writes the run into the documentation: wherever README.md or a page of
// docs has the markers of a part, as in
//
//	<!-- bench:table -->
//	<!-- /bench:table -->
//
// what is between them is replaced. It returns the files that it changed.
func Docs(root string, r *Report) (changed []string, err error) {
	if r.SmallSizes {
		return nil, errors.New("the figures of a short run mean nothing: they do not go into the documentation")
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		return nil, err
	}
	for _, file := range append([]string{filepath.Join(root, "README.md")}, files...) {
		raw, err := os.ReadFile(file)
		if err != nil {
			return changed, err
		}
		text, err := fill(string(raw), r.parts(file, root))
		if err != nil {
			return changed, fmt.Errorf("%s: %w", file, err)
		}
		if text == string(raw) {
			continue
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return changed, err
		}
		changed = append(changed, file)
	}
	return changed, nil
}

// Images is where the plots of the documentation are.
func Images(root string) string { return filepath.Join(root, "docs", "images") }

// parts is what a run has to say to a file. A part that was not measured is
// left as it is.
func (r *Report) parts(file, root string) map[string]string {
	parts := map[string]string{}
	if len(r.Rows) > 0 {
		parts["table"], parts["peers"] = Rows(r), Peers(r)
	}
	if images, err := filepath.Rel(filepath.Dir(file), Images(root)); err == nil && len(r.Curves) > 0 {
		parts["growth"] = Growth(r.Curves, filepath.ToSlash(images))
	}
	return parts
}

// fill replaces what is between the markers of each part.
func fill(text string, parts map[string]string) (string, error) {
	for name, part := range parts {
		open, end := "<!-- bench:"+name+" -->", "<!-- /bench:"+name+" -->"
		before, rest, found := strings.Cut(text, open)
		if !found {
			continue
		}
		_, after, found := strings.Cut(rest, end)
		if !found {
			return "", fmt.Errorf("%s is not followed by %s", open, end)
		}
		text = before + open + "\n\n" + strings.TrimSpace(part) + "\n\n" + end + after
	}
	return text, nil
}
