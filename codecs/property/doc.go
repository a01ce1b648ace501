// Package property reads the values in packages of Unreal Engine 4 and 5: the
// properties of every object, the rows of its tables, curves, strings, and the classes,
// structs and enums that a game declares. It knows packages by their tables
// ([unreal.PackageFacts]), which the rooms unrealpkg and zenpkg read, and is given the
// bytes of exports.
//
//	d := property.NewDecoder(facts, property.Options{Schemas: mappings})
//	var x property.Export
//	d.Export(&x, i, data)
//	for path, at := range d.Walk(&x.List) { ... x.List.Nodes[at] ... }
//
// A list of properties has one of two forms. A tagged one states the name, the type
// and the size of each value. An unversioned one has the values alone, in the order
// of the properties of the class, which mappings (codecs/property/usmap) or the class
// itself in another package tell: [Schemas].
//
//	export   [control byte] list [b32, GUID] [data of the class]
//	tagged   { name, type, size, index, flags, value } until the name None
//	unvers.  header of 16-bit fragments, mask of zeros, values
//
// # Understood or opaque
//
// A value is taken when it ends where its tag says, with every name in the name table,
// every reference in the tables and every bool 0 or 1. Else it is opaque: a node of
// its own kind with its bytes' place and the reason, and all around it stays. A list
// whose tags do not hold together, or an unversioned one with a value that cannot be
// read, is lost as a whole. Both are counted ([Coverage]) and no errors: packages are
// full of classes with data of their own.
//
// # Memory
//
// Values are nodes in one slice ([List]), texts share the memory of one copy of the
// export, and types are kept by the package, so that a value costs no allocation.
// Arrays of more than 16 numbers stay packed. Sizes are bounded by the bytes at hand
// and by [Options.MaxNodes], texts that are made of names by 8 MB, nesting by 48
// levels, and guesses by a budget of work: 64 MB for any export beside its bytes.
//
// FORMAT.md has the layouts, and how sure each fact is.
package property
