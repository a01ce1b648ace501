// Package check looks at a whole catalog and reports what is wrong with it.
package check
