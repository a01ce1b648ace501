// Package process is what the commands tell whoever runs them: exit codes, and
// how signals end a run.
package process
