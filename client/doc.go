// Package client speaks the HTTP API of a Reeve daemon, over TCP or its unix
// socket, in the types of packages process and api.
//
// Answers that are not a success come back as *process.Error, so that
// errors.Is(err, process.ErrNotFound) and the like work as they do with the
// embedded runtime; a daemon that does not answer is an [*UnreachableError].
//
// Streams (Events, AllEvents, FollowOutput, Wait) outlive their connection: when it
// breaks they connect again and go on where they were, by event number or byte
// offset, without gap or repeat. They give up with the last error after
// [Config.Patience] without any success, and at once where no daemon ever was. A
// daemon that restarts in the meantime is not noticed.
package client
