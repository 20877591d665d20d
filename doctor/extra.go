package doctor

import "context"

// Extra is a check of an environment that the program brings along.
type Extra struct {
	Key  string // unique in the report, such as "typescript"
	Name string // for people
	// Try does what has to work, and says how it went.
	Try func(ctx context.Context) Verdict
}

// Verdict is what a check found; see [Check] for what the fields hold.
type Verdict struct {
	Status  Status
	Meaning string
	Reason  string
	Advice  string
}

func (e Extra) check(ctx context.Context) Check {
	c, v := check(SectionEnvironments, e.Key, e.Name), e.Try(ctx)
	c.Status, c.Meaning, c.Reason, c.Advice = v.Status, v.Meaning, v.Reason, v.Advice
	return c
}
