// Package pkg reads the packages of Unreal Engine 1 to 5: .u .utx .unr
// .upk .uasset .umap and whatever else a game calls them. A package lists the
// names it uses, the objects it imports from other packages and the objects it
// exports; [Read] returns these tables, [Inspector] turns them into facts and
// references for the catalog.
//
// One dispatcher serves all generations: the first four bytes are tag and byte
// order, the next four the version and the licensee. What follows depends on
// both; FORMAT.md has the layout, its sources, and how sure each part is.
//
//	tag       u32   9E2A83C1, in the file's byte order
//	version   u32   low half version, high half licensee; negative: UE4 and UE5
//	summary         counts and offsets of the tables, identifiers, flags
//	names           text and flags
//	imports         class package, class, outer, name
//	exports         class, super, outer, name, flags, size, offset, ...
//	data            of the exports
//
// Layouts check themselves: tables end where the next begins, indices stay in
// range, exports lie one after another. Where the version does not decide the
// layout (licensees, unversioned cooked packages) several are tried, and the
// first without a contradiction is taken. What remains contradicted becomes a
// problem in the facts, not an error.
//
// Only tables are read, never the data of exports, so the cost of a package
// depends on its header. Offsets are in bytes from the start of the package as
// it is when decompressed.
package pkg
