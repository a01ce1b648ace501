// Package classic reads the values in packages of UE1 to UE3: the properties of
// every object, and the default values of classes. It is given the tables of a
// package and the bytes of its exports, and makes the same values as [property].
//
//	decoder.go  the declarations of a package, and its exports
//	declare.go  properties that classes and structs declare
//	list.go     lists of properties
//	value.go    values
//	structs.go  structs without tags
//
// A tag states the type and the size of its value, and nothing of what an array
// holds: the class that declares the property does. Where that is another package,
// [Options.Element] is asked; where nobody knows, the first type by which the value
// ends at its last byte is taken, and marked [property.Guessed].
//
// FORMAT.md has the layouts, and how sure each fact is.
package classic
