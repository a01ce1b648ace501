// Package zen reads the packages of IoStore containers ("Zen" packages) and
// the two kinds of chunk that give the meaning of their hashes: the ScriptObjects of
// global.utoc and the ContainerHeader of every container.
//
// A Zen package is what the cooker makes of a .uasset or .umap: the same names,
// imports and exports, laid out to be used where they lie. It has no magic and
// no version that can be relied on; the type of its chunk says what it is, and
// the layout is the one under which everything ends where the next thing
// begins (layout.go).
//
//	summary | names | [bulk data] | public hashes of what is imported |
//	imports | exports | order of loading | [imported package names] | data
//
// Objects of other packages are imported by hash. [Resolve] gives them the
// names that a ScriptObjects chunk knows; a hash of another package's object is
// named when it is that of the asset itself, which nearly all are.
//
// [FromLegacy] and [Package.ToLegacy] convert between these and cooked legacy packages.
//
// FORMAT.md has the layouts and how sure each fact is.
package zen
