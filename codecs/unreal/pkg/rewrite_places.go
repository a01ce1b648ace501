package pkg

// placeKind says how a number of a summary follows from what a writer changes.
type placeKind uint8

const (
	fixedOffset placeKind = iota // the names, which nothing is put before
	fixedCount
	headerOffset // moves with the bytes of the header that it leads to
	importOffset // the same, but for bytes that are appended to its own empty table
	softOffset
	headerEnd
	dataOffset // of something after the data of the exports
	nameCount
	importCount
	softCount
	referencedCount // names that data of exports refers to; they come first
)

// place is where the summary of a UE4 or UE5 package has such a number.
type place struct {
	off  int64
	wide bool // an i64
	what placeKind
}

// i32 reads a number of the summary that a writer may change.
func (p modern) i32(d *decoder, what placeKind) int64 {
	p.numbers = append(p.numbers, place{d.Off(), false, what})
	return int64(d.I32())
}

func (p modern) i64(d *decoder, what placeKind) int64 {
	p.numbers = append(p.numbers, place{d.Off(), true, what})
	return d.I64()
}

// readPlace is readTable for what a writer may change.
func (p modern) readPlace(d *decoder, count, offset placeKind) Table {
	return Table{Count: int(p.i32(d, count)), Offset: p.i32(d, offset)}
}
