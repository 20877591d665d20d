// Package plot draws results as SVG: how Reeve stands to its targets and to its
// peers, and how costs grow. A picture has its own background and follows the
// reader's colour scheme, says in words what it shows, and is the same, byte for
// byte, for the same results.
package plot

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/reeverun/reeve/bench/measure"
)

// style has the colours, which are told apart by who cannot see red or green,
// too.
const style = `
text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;fill:#1f2328}
.title{font-size:15px;font-weight:600}.head{font-weight:600}.small,.small text{font-size:11px}.quiet{fill:#59636e}
.back{fill:#fff;stroke:#d1d9e0}.grid{stroke:#e2e7ec}.axis{stroke:#8c959f}.mark{stroke:#1f2328;stroke-width:1.5}.guide{stroke:#8c959f;stroke-dasharray:4 4}
.pass{fill:#0969da}.short{fill:#c4432b}.other{fill:#a8b1bb}.reeve{fill:#0969da}.peer{fill:#a8b1bb}.floor{fill:#59636e}
.line{fill:none;stroke-width:2}.line.pass,.dot.pass{stroke:#0969da}.line.short,.dot.short{stroke:#c4432b}.line.other,.dot.other{stroke:#8c959f}
.band{stroke:none;opacity:.18}
@media(prefers-color-scheme:dark){
text{fill:#e6edf3}.quiet{fill:#9198a1}.back{fill:#0d1117;stroke:#3d444d}.grid{stroke:#262c36}.axis{stroke:#656c76}.mark{stroke:#e6edf3}.guide{stroke:#656c76}
.pass,.reeve{fill:#4493f8}.short{fill:#f47067}.other,.peer{fill:#656c76}.floor{fill:#9198a1}
.line{fill:none}.line.pass,.dot.pass{stroke:#4493f8}.line.short,.dot.short{stroke:#f47067}.line.other,.dot.other{stroke:#656c76}}
`

// canvas is a picture that is being drawn.
type canvas struct {
	body          bytes.Buffer
	width, height float64
}

func (c *canvas) add(format string, args ...any) { fmt.Fprintf(&c.body, format+"\n", args...) }

func (c *canvas) text(x, y float64, class, anchor, words string) {
	c.add(`<text x="%s" y="%s" class="%s" text-anchor="%s">%s</text>`, px(x), px(y), class, anchor, html.EscapeString(words))
}

func (c *canvas) rect(x, y, w, h float64, class string) {
	c.add(`<rect x="%s" y="%s" width="%s" height="%s" rx="2" class="%s"/>`, px(x), px(y), px(w), px(h), class)
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	c.add(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, px(x1), px(y1), px(x2), px(y2), class)
}

func (c *canvas) path(points [][2]float64, closed bool, class string) {
	var d strings.Builder
	for i, p := range points {
		d.WriteByte("ML"[min(i, 1)])
		d.WriteString(px(p[0]) + " " + px(p[1]))
	}
	if closed {
		d.WriteByte('Z')
	}
	c.add(`<path d="%s" class="%s"/>`, d.String(), class)
}

// writeTo writes the picture with what it shows in words.
func (c *canvas) writeTo(w io.Writer, title, description string) error {
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %[1]s %[2]s" width="%[1]s" height="%[2]s" role="img" aria-labelledby="title desc">
<title id="title">%[3]s</title>
<desc id="desc">%[4]s</desc>
<style>%[5]s</style>
<rect x="0.5" y="0.5" width="%[6]s" height="%[7]s" rx="6" class="back"/>
%[8]s</svg>
`, px(c.width), px(c.height), html.EscapeString(title), html.EscapeString(description), style, px(c.width-1), px(c.height-1), c.body.String())
	return err
}

// px is a length with no more digits than can be seen.
func px(v float64) string {
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

// Figure is a number of three digits, as people write it.
func Figure(v float64) string {
	switch a := math.Abs(v); {
	case a == 0:
		return "0"
	case a >= 999_500:
		return trimmed(v/1e6, 3) + " M"
	case a >= 9995:
		return trimmed(v/1e3, 3) + " k"
	default:
		return trimmed(v, 3)
	}
}

// trimmed writes a number with so many digits that count.
func trimmed(v float64, digits int) string {
	after := digits - 1 - int(math.Floor(math.Log10(math.Abs(v))))
	if after <= 0 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	s := strconv.FormatFloat(v, 'f', min(after, 6), 64)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// class is the colour of a verdict.
func class(v measure.Verdict) string {
	switch v {
	case measure.Pass:
		return "pass"
	case measure.Short, measure.Failed:
		return "short"
	default:
		return "other"
	}
}
