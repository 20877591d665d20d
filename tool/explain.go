package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxComplaints bounds how many things one error names.
const maxComplaints = 5

// explain says where parameters do not match and what was expected. It repeats
// no value of theirs: errors are stored, parameters may be private.
func explain(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return "params: they do not match the schema"
	}
	all := complaints(invalid)
	var said []string
	for i, c := range all {
		if i == maxComplaints {
			said = append(said, fmt.Sprintf("and %d more", len(all)-i))
			break
		}
		said = append(said, c)
	}
	return strings.Join(said, "; ")
}

// complaints flattens the tree of errors. Of alternatives, the one that fits
// best speaks for all.
func complaints(e *jsonschema.ValidationError) []string {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return alternatives(e)
	}
	if len(e.Causes) == 0 {
		return []string{jsPath(e.InstanceLocation) + ": " + expectation(e.ErrorKind)}
	}
	var all []string
	for _, cause := range e.Causes {
		all = append(all, complaints(cause)...)
	}
	return all
}

func alternatives(e *jsonschema.ValidationError) []string {
	var best []string
	wrongType := true
	for _, cause := range e.Causes {
		here := complaints(cause)
		_, mismatch := cause.ErrorKind.(*kind.Type)
		if best == nil || wrongType && !mismatch || wrongType == mismatch && len(here) < len(best) {
			best, wrongType = here, mismatch
		}
	}
	switch {
	case len(e.Causes) == 0: // several alternatives of a oneOf matched
		return []string{jsPath(e.InstanceLocation) + ": matches more than one of the alternatives"}
	case wrongType:
		return []string{jsPath(e.InstanceLocation) + ": " + typesOf(e)}
	}
	return best
}

// typesOf joins the types that alternatives wanted.
func typesOf(e *jsonschema.ValidationError) string {
	var want []string
	got := ""
	for _, cause := range e.Causes {
		if t, ok := cause.ErrorKind.(*kind.Type); ok {
			want, got = append(want, t.Want...), t.Got
		}
	}
	return fmt.Sprintf("expected %s, got %s", strings.Join(want, " or "), got)
}

// expectation says what one keyword wanted.
func expectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("expected %s, got %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		return "expected one of " + values(k.Want)
	case *kind.Const:
		return "expected " + values([]any{k.Want})
	case *kind.Required:
		return "lacks " + names(k.Missing)
	case *kind.DependentRequired:
		return fmt.Sprintf("lacks %s, which %s needs", names(k.Missing), names([]string{k.Prop}))
	case *kind.Dependency:
		return fmt.Sprintf("lacks %s, which %s needs", names(k.Missing), names([]string{k.Prop}))
	case *kind.AdditionalProperties:
		return "does not know " + names(k.Properties)
	case *kind.MinLength:
		return fmt.Sprintf("expected at least %d characters, got %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("expected at most %d characters, got %d", k.Want, k.Got)
	case *kind.Pattern:
		return "expected text that matches " + Clip(k.Want, 200)
	case *kind.Format:
		return "expected text of the format " + Clip(k.Want, 100)
	case *kind.MinItems:
		return fmt.Sprintf("expected at least %d items, got %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("expected at most %d items, got %d", k.Want, k.Got)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %d items too many", k.Count)
	case *kind.UniqueItems:
		return fmt.Sprintf("items %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	case *kind.MinProperties:
		return fmt.Sprintf("expected at least %d properties, got %d", k.Want, k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("expected at most %d properties, got %d", k.Want, k.Got)
	case *kind.Minimum:
		return "expected at least " + number(k.Want)
	case *kind.Maximum:
		return "expected at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "expected more than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "expected less than " + number(k.Want)
	case *kind.MultipleOf:
		return "expected a multiple of " + number(k.Want)
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Not:
		return "has a form that is not allowed"
	}
	return "does not match " + strings.Join(k.KeywordPath(), ".")
}

func number(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func values(all []any) string {
	var texts []string
	for i, v := range all {
		if i == 20 {
			texts = append(texts, "…")
			break
		}
		b, _ := json.Marshal(v)
		texts = append(texts, Clip(string(b), 100))
	}
	return strings.Join(texts, ", ")
}

func names(all []string) string {
	var texts []string
	for i, n := range all {
		if i == 20 {
			texts = append(texts, "…")
			break
		}
		texts = append(texts, strconv.Quote(Clip(n, 100)))
	}
	return strings.Join(texts, ", ")
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_$][A-Za-z0-9_$]*$`)
	index      = regexp.MustCompile(`^(0|[1-9][0-9]{0,9})$`)
)

// jsPath writes a location as a program would.
func jsPath(location []string) string {
	var b strings.Builder
	b.WriteString("params")
	for _, part := range location {
		switch {
		case index.MatchString(part):
			b.WriteString("[" + part + "]")
		case identifier.MatchString(part):
			b.WriteString("." + part)
		default:
			b.WriteString("[" + strconv.Quote(Clip(part, 100)) + "]")
		}
	}
	return b.String()
}
