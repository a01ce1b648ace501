// Package values compares the values of two packages as a person would describe it: a
// field that has another value, a row of a table that came, went or got another name,
// an element that was put into an array.
//
//	rows of both -> a tree for each object -> Compare -> Changes
//
// Objects are known by their paths in the package, and one that has another path by its
// class and values. Elements of arrays are matched by what they hold, so that one more
// at the front is one change. Vectors, colours and the like are one value. A field that
// is not there has the value that it inherits: default, and which that is where it is
// known.
//
// Files in reading order: tree.go, elements.go, fields.go,
// values.go (Row, Change, Compare, List).
package values
