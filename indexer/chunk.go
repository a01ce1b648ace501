package indexer

import (
	"pakdb/codecs"
	"pakdb/schema"
)

// chunk is a group of neighbouring entries of one file, the unit of parallel
// work. Small entries travel together, because handing each over by itself
// would cost more than hashing it.
type chunk struct {
	from *opened
	seq  int64 // in the scan
	last bool  // completes the file

	items []item
	cost  int64 // decoded bytes

	packages map[string]*split // of the entries so far, by asset
	plain    []*codecs.Entry   // of them, those called like packages that are none

	same  map[*codecs.Entry]schema.Same // of the entries so far, packages that were not read
	place int                           // of the last entry that was not read, see schema.Same

	// results
	rows     []schema.Entry
	problems []finding
	names    []schema.Name  // in the last chunk
	digest   *schema.Digest // in the last chunk
	err      error          // ends the scan
}

// item is an entry, and what was wrong with its record in the table.
type item struct {
	entry *codecs.Entry // nil when the table itself broke
	err   error
	at    place

	header *codecs.Entry // of a .uexp: the entry that has its exports' bounds; nil: none, or not met yet
}

// finding is what is wrong with an entry, or with a nil entry with the file.
type finding struct {
	entry *codecs.Entry
	err   error
	whole bool // it concerns the archive as a whole, see [codecs.Damage]
}

// report notes what is wrong with an entry, nil for the file.
func (c *chunk) report(e *codecs.Entry, err error) {
	c.problems = append(c.problems, finding{entry: e, err: err})
}

// reportDamage notes what is wrong with the file.
func (c *chunk) reportDamage(err error, whole bool) {
	c.problems = append(c.problems, finding{err: err, whole: whole})
}

// reportTable notes what is wrong with a table of the archive that is an entry. err is why
// nothing could be read of it.
func (c *chunk) reportTable(e *codecs.Entry, facts *codecs.Facts, err error) {
	if err != nil {
		c.problems = append(c.problems, finding{entry: e, err: err, whole: true})
	}
	if facts == nil {
		return
	}
	for _, p := range facts.Problems {
		c.problems = append(c.problems, finding{entry: e, err: p, whole: true})
	}
}

const (
	chunkItems = 128
	chunkCost  = 2 << 20
)

func (c *chunk) add(e *codecs.Entry, err error) {
	at := place(c.seq*chunkItems + int64(len(c.items)))
	c.items = append(c.items, item{entry: e, err: err, at: at})
	if e != nil {
		c.cost += e.Size
	}
}

func (c *chunk) full() bool { return len(c.items) >= chunkItems || c.cost >= chunkCost }
