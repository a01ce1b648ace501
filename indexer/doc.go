// Package indexer scans archives into the catalog.
//
// The way of the data: files are walked in a fixed order, detected and opened a
// few ahead; their entries are decoded, hashed and inspected by parallel
// workers; the rows come back in stored order and go to the catalog's one
// writer. Damage is a row in the problems view, not the end of the scan; only
// I/O on the roots, the catalog, and cancellation abort it.
//
//	paths ── walk ── files ── openFile ── opened ── list ── chunks ── work ── collect ── schema.Build
//	                   └── known archives ── reuse ──────────────────────────────┘
//	all ids of the build ── searcher ── references in contents of unknown structure
//
// Files in reading order: options.go, inspected.go (each content once),
// padded.go, walk.go (which files), window.go (many
// entries read at once), open.go, facts.go (facts as rows), values.go (of objects), search.go (contents for
// known ids), dictionary.go, ahead.go (ids that are known before), mount.go (which entry
// a game sees), chunk.go (entries that are worked on together), work.go (one entry),
// same.go (entries that need not be read), sums.go (--quick), split.go (.uasset and .uexp),
// again.go (objects whose classes others declare), indexer.go (Run, Read), collect.go (in
// stored order), check.go (without a catalog).
package indexer
