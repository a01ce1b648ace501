// Package check checks a whole catalog.
package check
