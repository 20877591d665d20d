package interpret

// The shape of a rule file. docs/interpreters.md is its reference.

type fileSpec struct {
	Description string        `yaml:"description"`
	Format      string        `yaml:"format"`
	Rules       []ruleSpec    `yaml:"rules"`
	Summary     []tallySpec   `yaml:"summary"`
	Fallback    *fallbackSpec `yaml:"fallback"`
}

type ruleSpec struct {
	ID       string     `yaml:"id"`
	Kind     string     `yaml:"kind"`
	Match    string     `yaml:"match"`
	Detect   string     `yaml:"detect"`
	Contains stringList `yaml:"contains"`
	Stream   string     `yaml:"stream"`
	Continue bool       `yaml:"continue"`
	Once     bool       `yaml:"once"`
	Tally    string     `yaml:"tally"`

	// warning, known_error, finding, prompt, summary, notes
	Code     string      `yaml:"code"`
	Message  string      `yaml:"message"`
	Severity string      `yaml:"severity"`
	Action   *actionSpec `yaml:"action"`
	Related  string      `yaml:"related"`
	RelNext  string      `yaml:"related_next"`
	IfFailed bool        `yaml:"if_failed"`

	// phase, phase_exit, label
	Name   string   `yaml:"name"`
	Label  string   `yaml:"label"`
	Nested bool     `yaml:"nested"`
	From   *float64 `yaml:"from"`
	To     *float64 `yaml:"to"`

	// progress
	Percent  string `yaml:"percent"`
	Done     string `yaml:"done"`
	Total    string `yaml:"total"`
	Unit     string `yaml:"unit"`
	Starting bool   `yaml:"starting"`
	Hint     string `yaml:"hint"`
}

type actionSpec struct {
	Command     string `yaml:"command"`
	Link        string `yaml:"link"`
	Instruction string `yaml:"instruction"`
	Label       string `yaml:"label"`
}

type tallySpec struct {
	Tally string `yaml:"tally"`
	One   string `yaml:"one"`
	Many  string `yaml:"many"`
}

type fallbackSpec struct {
	Code   string `yaml:"code"`
	As     string `yaml:"as"`
	Stream string `yaml:"stream"`
	Prefer string `yaml:"prefer"`
}
