package record

// Rows of a new lineage lie 1<<RowBits apart, so that those that later editions put between
// two of them have room, and after rowBase, so that much has room before them. The view
// x_entry has the same numbers.
const (
	RowBits = 8
	rowBase = 1 << 20
)

// RowOf returns the row of an entry in the first edition of a lineage.
func RowOf(ordinal int64) int64 { return (ordinal + rowBase) << RowBits }
