// Package house holds no code: its test checks what go vet does not know about
// this module. Who may import whom; that nothing runs before main, panics, or
// keeps state in package variables; that every package and exported name is
// documented, and no file, type or package outgrows a reader's patience. The types
// and packages that did so before there were limits are a table that only shrinks.
package house
