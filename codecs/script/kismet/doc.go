// Package kismet disassembles the bytecode of blueprints: UE4.10 to UE6.0.
//
//	package.go     the functions of a package, and their events
//	layout.go      what differs between engines
//	header.go      what stands in front of the script of an export and behind it
//	field.go       the properties of a function (4.25+), passed over
//	statement.go   statements
//	expression.go  expressions: variables, assignments, calls
//	access.go      through objects, structs, arrays and casts
//	literal.go     constants
//	operands.go    what they are made of, counted on disk and in memory
//
// A function is accepted when its script ends at its last byte, has the size in
// memory that the file states, and its export ends behind it; else it is opaque.
// FORMAT.md has the layout.
package kismet
