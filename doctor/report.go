package doctor

import "slices"

// Status is the verdict of one check.
type Status string

// The statuses, best first.
const (
	OK      Status = "ok"      // all that Reeve can use
	Limited Status = "limited" // works, with a loss the check names
	Missing Status = "missing" // not here
)

// Check is one thing that was tried. Key is stable; the sentences are for
// people and may change.
type Check struct {
	Section string `json:"section"` // the key of a Section
	Key     string `json:"key"`     // unique in the report
	Name    string `json:"name"`
	Status  Status `json:"status"`
	Meaning string `json:"meaning"` // what the status means, in one sentence
	Reason  string `json:"reason"`  // why it is not better; empty when it is ok
	Advice  string `json:"advice"`  // what to do about it; empty when there is nothing
}

// System is where the checks were made.
type System struct {
	OS      string `json:"os"`
	Arch    string `json:"arch"`
	Kernel  string `json:"kernel"` // its release; empty where it is not known
	User    string `json:"user"`
	DataDir string `json:"dataDir"`
}

// Report is what Probe found, in the order it should be read.
type Report struct {
	System System  `json:"system"`
	Checks []Check `json:"checks"`
}

// The keys of the sections.
const (
	SectionTree         = "tree"
	SectionLimits       = "limits"
	SectionSandbox      = "sandbox"
	SectionSystem       = "system"
	SectionEnvironments = "environments"
	SectionData         = "data"
)

var titles = map[string]string{
	SectionTree:         "Tree control: does a kill leave nothing behind?",
	SectionLimits:       "Limits for jobs: available on this machine",
	SectionSandbox:      "Parts of a sandbox: available on this machine",
	SectionSystem:       "The system",
	SectionEnvironments: "What programs run in",
	SectionData:         "The data directory",
}

// Section is a group of checks with a title for people.
type Section struct {
	Key    string
	Title  string
	Checks []Check
}

// Sections returns the checks grouped, in the order of the report.
func (r Report) Sections() []Section {
	var all []Section
	for _, c := range r.Checks {
		i := slices.IndexFunc(all, func(s Section) bool { return s.Key == c.Section })
		if i < 0 {
			i = len(all)
			all = append(all, Section{Key: c.Section, Title: titles[c.Section]})
		}
		all[i].Checks = append(all[i].Checks, c)
	}
	return all
}

// Check returns a check by its key.
func (r Report) Check(key string) (Check, bool) {
	i := slices.IndexFunc(r.Checks, func(c Check) bool { return c.Key == key })
	if i < 0 {
		return Check{}, false
	}
	return r.Checks[i], true
}

// Count returns how many checks have a status.
func (r Report) Count(s Status) (n int) {
	for _, c := range r.Checks {
		if c.Status == s {
			n++
		}
	}
	return n
}

// check makes a Check; its methods fill in the verdict.
func check(section, key, name string) Check {
	return Check{Section: section, Key: key, Name: name, Status: OK}
}

func (c Check) ok(meaning string) Check {
	c.Status, c.Meaning = OK, meaning
	return c
}

func (c Check) limited(meaning, reason, advice string) Check {
	c.Status, c.Meaning, c.Reason, c.Advice = Limited, meaning, reason, advice
	return c
}

func (c Check) missing(meaning, reason, advice string) Check {
	c.Status, c.Meaning, c.Reason, c.Advice = Missing, meaning, reason, advice
	return c
}
