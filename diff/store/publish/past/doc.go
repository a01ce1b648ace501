// Package past finds what contents of a new build were in the one before: by their names,
// or by what they have in common.
//
// Files in reading order: similar.go, contents.go.
package past
