package cli

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/reeverun/reeve/process"
)

// psColumn is one column of the list. The optional ones are shown where they say
// something and there is room, the last in this order being the first to go.
type psColumn struct {
	name  string
	right bool
	drop  int // 0: always shown; else the higher, the sooner it goes
	cell  func(*process.Record) cell
}

func psColumns(now time.Time, p palette) []psColumn {
	text := func(f func(*process.Record) string) func(*process.Record) cell {
		return func(r *process.Record) cell { return cell{text: f(r)} }
	}
	return []psColumn{
		{"ID", true, 0, func(r *process.Record) cell { return cell{r.ID.String(), p.bold} }},
		{"STATE", false, 0, func(r *process.Record) cell { return cell{stateWord(r), p.stateColor(r)} }},
		{"EXIT", true, 2, text(exitText)},
		{"TIME", true, 1, text(elapsed)},
		{"CREATED", true, 4, text(func(r *process.Record) string { return age(r, now) })},
		{"RUN", true, 5, text(runText)},
		{"REF", false, 3, func(r *process.Record) cell { return cell{value(r.Ref), p.cyan} }},
		{"TAGS", false, 6, text(func(r *process.Record) string { return plain(strings.Join(r.Tags, ",")) })},
		{"COMMAND", false, 0, text(psTitle)},
	}
}

// leastTitle is how many columns what a process runs should have.
const leastTitle = 20

// psTable lays the list out for a width; 0 is any width.
func psTable(records []process.Record, now time.Time, width int, p palette) string {
	if len(records) == 0 {
		return ""
	}
	columns := slices.DeleteFunc(psColumns(now, p), func(c psColumn) bool {
		return c.drop > 0 && !slices.ContainsFunc(records, func(r process.Record) bool { return c.cell(&r).text != "" })
	})
	for drop := 6; ; drop-- {
		t := psLayout(records, columns)
		if width == 0 || drop == 0 || t.rest(width) >= leastTitle {
			return t.render(width, p)
		}
		columns = slices.DeleteFunc(columns, func(c psColumn) bool { return c.drop == drop })
	}
}

func psLayout(records []process.Record, columns []psColumn) *table {
	t := &table{}
	for _, c := range columns {
		t.head, t.right = append(t.head, c.name), append(t.right, c.right)
	}
	for i := range records {
		row := make([]cell, len(columns))
		for j, c := range columns {
			row[j] = c.cell(&records[i])
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func exitText(r *process.Record) string {
	if r.Exit == nil || r.State != process.Idle {
		return ""
	}
	return strconv.Itoa(r.Exit.Code)
}

// runText says which run it is, if it is not the first.
func runText(r *process.Record) string {
	if r.Run < 2 {
		return ""
	}
	return strconv.Itoa(r.Run)
}

// psTitle is what runs, after how far it is, where that is known.
func psTitle(r *process.Record) string {
	share, known := r.Progress.Share()
	if !known || r.State != process.Running {
		return title(r)
	}
	return strconv.Itoa(int(share*100)) + "% " + title(r)
}
