// Package graph walks the references between the entries of a build: what an
// entry needs, and what needs it.
//
// The graph is the one that the view "dependencies" shows; this package reaches
// it through the tables' keys, so that a step costs what its edges cost,
// whatever the size of the build.
package graph
