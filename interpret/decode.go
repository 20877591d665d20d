package interpret

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxRuleFile bounds a rule file; it is written by hand.
const maxRuleFile = 1 << 20

// stringList is a list of texts, or one.
type stringList []string

// UnmarshalYAML reads a list or a single text.
func (l *stringList) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*l = stringList{n.Value}
		return nil
	}
	var all []string
	if err := n.Decode(&all); err != nil {
		return err
	}
	*l = all
	return nil
}

// decodeFile reads a rule file strictly and returns the line each rule is on.
func decodeFile(data []byte) (f fileSpec, lines []int, err error) {
	if len(data) > maxRuleFile {
		return f, nil, fmt.Errorf("%d bytes are too many: want at most %d", len(data), maxRuleFile)
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	switch err := dec.Decode(&f); {
	case errors.Is(err, io.EOF):
		return f, nil, errors.New("the file is empty")
	case err != nil:
		return f, nil, readable(err)
	}
	if err := dec.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return f, nil, errors.New("more than one document")
	}
	return f, ruleLines(data), nil
}

var (
	unknownField = regexp.MustCompile(`field (\S+) not found in type \S+`)
	goType       = regexp.MustCompile(` into (?:interpret|float|bool|string|int|\[\]|\*)\S*`)
)

// readable says what the decoder says without its Go types.
func readable(err error) error {
	s := strings.ReplaceAll(err.Error(), "yaml: ", "")
	s = strings.ReplaceAll(s, "unmarshal errors:\n  ", "")
	s = strings.ReplaceAll(s, "\n  ", "; ")
	s = unknownField.ReplaceAllString(s, `unknown key "$1"`)
	s = goType.ReplaceAllString(s, "")
	return errors.New(s)
}

// ruleLines returns the line in the file of each rule.
func ruleLines(data []byte) (lines []int) {
	var doc struct {
		Rules []yaml.Node `yaml:"rules"`
	}
	if yaml.Unmarshal(data, &doc) != nil {
		return nil
	}
	for _, n := range doc.Rules {
		lines = append(lines, n.Line)
	}
	return lines
}
