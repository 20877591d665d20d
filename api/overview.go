package api

import "github.com/reeverun/reeve/process"

// Overview is what GET /overview answers: how all processes are, in numbers.
type Overview struct {
	Cursor       string             `json:"cursor" doc:"Of the newest event before the numbers were taken: GET /events?after= it misses nothing."`
	At           process.Stamp      `json:"at"`
	Total        int                `json:"total"`
	States       map[string]int     `json:"states" nullable:"false" doc:"How many are in each state."`
	Paused       int                `json:"paused" doc:"How many of the running ones are paused."`
	ExitStates   map[string]int     `json:"exitStates" nullable:"false" doc:"How many ended in which way the last time; none: without an outcome."`
	Environments map[string]int     `json:"environments" nullable:"false" doc:"How many are of each environment."`
	Tags         []process.TagCount `json:"tags" nullable:"false" doc:"The 100 most used tags."`
	Approvals    int                `json:"approvals" doc:"How many wait for a person."`
	Activity     Activity           `json:"activity" doc:"The last hour, minute by minute."`
}

// Activity is what happened in spans of equal length, the last of which is not
// over.
type Activity struct {
	StepMS    int64         `json:"stepMs"`
	From      process.Stamp `json:"from" doc:"When the first span begins."`
	Created   []int         `json:"created" nullable:"false" doc:"Processes that were created."`
	Succeeded []int         `json:"succeeded" nullable:"false" doc:"Runs that succeeded."`
	Failed    []int         `json:"failed" nullable:"false" doc:"Runs that failed, timed out or were canceled."`
}
