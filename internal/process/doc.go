// Package process defines how commands end: exit codes, and how signals end a run.
package process
