package process

// UsageSeries is what a run used as time went by. Step is how far its samples
// lie apart; it doubles when there are MaxSamples of them. There may be holes:
// nobody looks at a run that is paused, or has no host.
type UsageSeries struct {
	Run     int           `json:"run"`
	StepMS  int64         `json:"stepMs"`
	Samples []UsageSample `json:"samples" nullable:"false"`
}

// MaxSamples is how many samples a series has at most.
const MaxSamples = 300

// UsageSample is what a run used up to a moment, and what it holds at it. What is
// not known is 0.
type UsageSample struct {
	At       Stamp `json:"at"`
	CPUMS    int64 `json:"cpuMs" doc:"Processor time so far, of all its processes."`
	RSSBytes int64 `json:"rssBytes" doc:"Memory that its processes hold now, together."`
	PIDs     int   `json:"pids" doc:"How many processes of the operating system it consists of now."`
	Tokens   int64 `json:"tokens" doc:"Tokens so far."`
}
