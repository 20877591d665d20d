package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// build makes all files. The worker comes first: the page has to know its name.
func build() (files, error) {
	if _, err := os.Stat(filepath.Join(source, "node_modules")); err != nil {
		return nil, fmt.Errorf("%s has no node_modules: run npm ci there", source)
	}
	built := files{}
	worker, err := bundle(built, options("src/worker.ts", nil))
	if err != nil {
		return nil, err
	}
	page, err := bundle(built, options("src/main.tsx", map[string]string{"WORKER": quote(worker.js)}))
	if err != nil {
		return nil, err
	}
	html, err := os.ReadFile(filepath.Join(source, "index.html"))
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("{{script}}", page.js, "{{style}}", page.css)
	built["index.html"] = []byte(fill.Replace(string(html)))
	icon, err := os.ReadFile(filepath.Join(source, "favicon.svg"))
	if err != nil {
		return nil, err
	}
	built["assets/favicon.svg"] = icon
	built["assets/licenses.txt"], err = licenses(append(worker.packages, page.packages...))
	return built, err
}

func options(entry string, define map[string]string) api.BuildOptions {
	dir, err := filepath.Abs(source)
	if err != nil {
		panic(err) // there is no working directory
	}
	return api.BuildOptions{
		AbsWorkingDir: dir,
		EntryPoints:   []string{entry},
		Outdir:        "out",
		EntryNames:    "[name]-[hash]",
		ChunkNames:    "[name]-[hash]",
		Bundle:        true,
		Splitting:     true,
		Format:        api.FormatESModule,
		Target:        api.ES2022,
		JSX:           api.JSXAutomatic, JSXImportSource: "preact",
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true,
		LegalComments: api.LegalCommentsNone, // licenses.txt has them whole
		Define:        define,
		Metafile:      true,
	}
}

// bundled is what one entry became.
type bundled struct {
	js, css  string   // where the page finds them
	packages []string // of npm that are inside
}

// bundle adds what an entry becomes to the built files.
func bundle(built files, o api.BuildOptions) (bundled, error) {
	result := api.Build(o)
	if len(result.Errors) > 0 {
		text := api.FormatMessages(result.Errors, api.FormatMessagesOptions{Kind: api.ErrorMessage})
		return bundled{}, errors.New(strings.Join(text, "\n"))
	}
	for _, f := range result.OutputFiles {
		built["assets/"+filepath.Base(f.Path)] = f.Contents
	}
	var meta struct {
		Inputs  map[string]struct{} `json:"inputs"`
		Outputs map[string]struct {
			EntryPoint string `json:"entryPoint"`
			CSS        string `json:"cssBundle"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return bundled{}, err
	}
	var b bundled
	for path, out := range meta.Outputs {
		if out.EntryPoint != o.EntryPoints[0] {
			continue
		}
		b.js = "/assets/" + filepath.Base(path)
		if out.CSS != "" {
			b.css = "/assets/" + filepath.Base(out.CSS)
		}
	}
	for path := range meta.Inputs {
		if name := packageOf(path); name != "" {
			b.packages = append(b.packages, name)
		}
	}
	return b, nil
}

// packageOf is the package of npm that a source file belongs to; none for ours.
func packageOf(path string) string {
	_, rest, ok := strings.Cut(path, "node_modules/")
	if !ok {
		return ""
	}
	parts := strings.SplitN(rest, "/", 3)
	if strings.HasPrefix(parts[0], "@") {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// licenses puts together the licences of what is bundled.
func licenses(packages []string) ([]byte, error) {
	sort.Strings(packages)
	var b strings.Builder
	last := ""
	for _, name := range packages {
		if name == last {
			continue
		}
		last = name
		text, err := readLicense(filepath.Join(source, "node_modules", name))
		if err != nil {
			return nil, fmt.Errorf("the licence of %s: %w", name, err)
		}
		fmt.Fprintf(&b, "%s\n\n%s\n\n\n", name, strings.TrimSpace(text))
	}
	return []byte(b.String()), nil
}

func readLicense(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "[Ll][Ii][Cc][Ee][Nn][Ss]*"))
	if err != nil || len(found) == 0 {
		return "", errors.Join(err, os.ErrNotExist)
	}
	b, err := os.ReadFile(found[0])
	return string(b), err
}

func quote(s string) string {
	b, _ := json.Marshal(s) // of a string: never fails
	return string(b)
}
