// Package process defines how commands end: exit codes, and how signals end a run.
//
// [InOrder] works in parallel and returns results in order, and [Version] returns what a
// program was built from. [Rescue] turns panics into errors. A panic in a goroutine that nobody
// recovers ends the process at once: deferred functions of other goroutines do not
// run, and temporary files stay. As an error it goes the way of all errors, which
// cleans up.
package process
