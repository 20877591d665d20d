package cli

import "strings"

// cell is one field of a table: its text decides the width, its colour does not.
type cell struct {
	text  string
	paint func(string) string // nil: none
}

// table lays rows out in columns. The last column takes what is left of the
// width and is cut with … where that is not enough; nothing ever wraps.
type table struct {
	head  []string
	right []bool // by column: numbers are flush right
	rows  [][]cell
}

// gap is between columns.
const gap = 2

// render lays the table out for a width; 0 is any width.
func (t *table) render(width int, p palette) string {
	sizes := t.sizes()
	if width > 0 {
		shrink(sizes, width)
	}
	var b strings.Builder
	head := make([]cell, len(t.head))
	for i, title := range t.head {
		head[i] = cell{title, p.dim}
	}
	t.line(&b, head, sizes)
	for _, row := range t.rows {
		t.line(&b, row, sizes)
	}
	return b.String()
}

// sizes is the width each column asks for.
func (t *table) sizes() []int {
	sizes := make([]int, len(t.head))
	for i, title := range t.head {
		sizes[i] = columns(title)
		for _, row := range t.rows {
			sizes[i] = max(sizes[i], columns(row[i].text))
		}
	}
	return sizes
}

// rest is what a width leaves to the last column.
func (t *table) rest(width int) int {
	sizes := t.sizes()
	rest := width - gap*(len(sizes)-1)
	for _, n := range sizes[:len(sizes)-1] {
		rest -= n
	}
	return rest
}

// shrink takes from the last column first, down to a readable rest, and then
// from the ones before it.
func shrink(sizes []int, width int) {
	over := gap*(len(sizes)-1) - width
	for _, n := range sizes {
		over += n
	}
	for _, least := range []int{12, 4, 1} {
		for i := len(sizes) - 1; i >= 0 && over > 0; i-- {
			if cut := min(over, sizes[i]-least); cut > 0 {
				sizes[i] -= cut
				over -= cut
			}
		}
	}
}

func (t *table) line(b *strings.Builder, row []cell, sizes []int) {
	var line strings.Builder
	for i, c := range row {
		text := fit(c.text, sizes[i])
		pad := strings.Repeat(" ", sizes[i]-columns(text))
		if c.paint != nil {
			text = c.paint(text)
		}
		if i < len(t.right) && t.right[i] {
			text, pad = pad, text
		}
		line.WriteString(text + pad + strings.Repeat(" ", gap))
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
