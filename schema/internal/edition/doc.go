// Package edition stores an archive that follows another one as its difference.
//
// Archives that had one name in successive builds, or most of their entries in common, are
// editions of one lineage. A row of entry_row holds from the edition since on, up to but
// without until. The entries of an edition are compared with the rows of the one before,
// both in stored order:
//
//	rows of the edition before --,
//	                             |--> kept | ended | new, between two others
//	entries of this one ---------'
//
// Reading order:
//
//   - lineage.go: which archive another one continues, and how rows are numbered
//   - alike.go: the same where no earlier archive has its name
//   - print.go: when two entries are the same but for their place
//   - rows.go: the rows of the editions before
//   - before.go: which entries an archive has as the edition before has them, before they are read
//   - edition.go: the comparison, entry by entry
//   - matcher.go: the comparison of a batch
//   - place.go: where the entries lie in the archive
//   - remove.go: deletes editions, and what no other one has
package edition
