package side

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"pakdb/diff/internal/facts"
	"pakdb/internal/rescue"
	"pakdb/schema"
	"slices"

	"golang.org/x/sync/errgroup"
)

// loader reads the rows of both builds.
type loader struct {
	db    *sql.DB
	o     Options
	apart *facts.Apart
}

// both does the same for both sides at once.
func both(ctx context.Context, old, new *Side, do func(context.Context, *Side) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(rescue.Func(func() error { return do(ctx, old) }))
	g.Go(rescue.Func(func() error { return do(ctx, new) }))
	return g.Wait()
}

// take marks archives as loaded and returns their ordinals.
func (b *Side) take(wanted func(*Archive) bool) []int64 {
	var ordinals []int64
	for i := range b.Archives {
		if a := &b.Archives[i]; !a.Loaded && wanted(a) {
			a.Loaded = true
			ordinals = append(ordinals, a.Ordinal)
		}
	}
	return ordinals
}

func (l *loader) read(ctx context.Context, b *Side, ordinals []int64) error {
	if len(ordinals) == 0 {
		return nil
	}
	entries := int64(0)
	for i := range b.Archives {
		if b.Archives[i].Loaded && !b.Archives[i].Akin {
			entries += b.Archives[i].Entries
		}
	}
	b.Rows = slices.Grow(b.Rows, int(max(0, min(entries-int64(len(b.Rows)), 1<<22))))
	b.reads = append(b.reads, read{len(b.Rows), facts.Array(ordinals)})
	return l.readRows(ctx, b, buildRows, b.ID, facts.Array(ordinals))
}

// readRows appends rows.
func (l *loader) readRows(ctx context.Context, b *Side, from string, args ...driver.Value) error {
	columns := "SELECT " + rowColumns
	if l.o.Times || b.statesRows() || b.keepsRows {
		columns += ", e.mtime, e.row"
	}
	defer func() { b.total = max(b.total, len(b.Rows)) }()
	return schema.EachRow(ctx, l.db, columns+from, args, l.appendTo(b))
}

// statesRows reports whether the build makes something of some entries.
func (b *Side) statesRows() bool { return len(b.names) > 0 || len(b.hidden) > 0 }

// appendTo returns what appends a row: rowColumns, and mtime and row where they are
// needed. The ordinals of archives are their places in Side.Archives, which lists all
// of them.
func (l *loader) appendTo(b *Side) func(v []driver.Value) {
	places := map[int64]int32{}
	for i := range b.Archives {
		places[b.Archives[i].Ordinal] = int32(i)
	}
	more := b.statesRows()
	last, place := int64(-1), int32(0)
	return func(v []driver.Value) {
		if ordinal := facts.Integer(v[0]); ordinal != last {
			last, place = ordinal, places[ordinal]
		}
		path := facts.Integer(v[1])
		r := Row{Key: path, Path: path, Content: facts.Integer(v[2]), Stored: facts.Integer(v[3]), Size: facts.Integer(v[4]),
			storage: facts.Integer(v[5]), Archive: place, Seq: int32(len(b.Rows)), Copies: 1}
		if l.o.Times {
			b.Times = append(b.Times, facts.Integer(v[6]))
		}
		if b.keepsRows {
			for len(b.Places) < len(b.Rows) {
				b.Places = append(b.Places, 0)
			}
			b.Places = append(b.Places, facts.Integer(v[7]))
		}
		if more {
			b.setState(&r, entryAt{last, facts.Integer(v[7])})
		}
		b.Rows = append(b.Rows, r)
	}
}

// setState notes whether the game sees the entry, how many it stands for, and the
// path that another archive has for it.
func (b *Side) setState(r *Row, at entryAt) {
	if b.hidden[at] {
		r.Copies = 0
	} else {
		r.Copies += b.hides[at]
	}
	if n, ok := b.names[at]; ok {
		r.Key, r.Path = n.path, n.path
		b.under[r.Seq] = n.mount
	}
}

func (b *Side) hasNameless() bool {
	return slices.ContainsFunc(b.Rows, func(r Row) bool { return r.Path == 0 })
}

// noteAlone notes the rows that were read of an archive as ones that do not hold for
// the other edition.
func (b *Side) noteAlone(a *Archive) {
	if b.alone == nil {
		b.alone = make(map[lineageRow]bool, len(b.Rows))
	}
	for i := range b.Rows {
		if r := &b.Rows[i]; &b.Archives[r.Archive] == a {
			b.alone[lineageRow{a.Lineage, b.Places[r.Seq]}] = true
		}
	}
}

// readAlready returns the rows of an archive that were read.
func (b *Side) readAlready(a *Archive) map[int64]bool {
	read := map[int64]bool{}
	for i := range b.Rows {
		if r := &b.Rows[i]; a.Akin && &b.Archives[r.Archive] == a {
			read[b.Places[r.Seq]] = true
		}
	}
	return read
}

// read is what one query added to rows: those from a place on, of archives whose
// ordinals are a JSON array.
type read struct {
	from     int
	ordinals string
}
