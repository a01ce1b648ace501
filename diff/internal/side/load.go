package side

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"pakdb/schema"
)

// Load reads two complete builds of a catalog. The error is schema.ErrNoBuild if there
// is none of a label. db must allow several connections at once.
func Load(ctx context.Context, db *sql.DB, old, new string, o Options) (*Sides, error) {
	s := &Sides{}
	var err error
	if s.Old, err = open(ctx, db, old); err != nil {
		return nil, err
	}
	if s.New, err = open(ctx, db, new); err != nil {
		return nil, err
	}
	pairArchives(s.Old, s.New)
	markShared(s.Old, s.New)
	s.Source = &Catalog{DB: db}
	if s.Apart, err = s.Source.Apart(ctx, s.Old.ID, s.New.ID); err != nil {
		return nil, err
	}
	l := &loader{db: db, o: o, apart: s.Apart}
	if err := l.load(ctx, s.Old, s.New); err != nil {
		return nil, err
	}
	return s, s.arrange(ctx, o)
}

// arrange gives the rows of both sides their keys, and sorts by them.
func (s *Sides) arrange(ctx context.Context, o Options) error {
	keys := &keyer{source: s.Source, perArchive: o.PerArchive, base: baseMount(s.Old, s.New), invented: map[string]int64{}}
	for _, b := range []*Side{s.Old, s.New} {
		if err := keys.addKeys(ctx, b); err != nil {
			return err
		}
	}
	s.Texts = keys.texts()
	return both(ctx, s.Old, s.New, func(_ context.Context, b *Side) error {
		if o.PerArchive {
			b.byArchive()
		} else {
			b.mount()
		}
		return nil
	})
}

// load reads what may differ.
func (l *loader) load(ctx context.Context, old, new *Side) error {
	if err := l.markAkin(ctx, old, new); err != nil {
		return err
	}
	if err := l.readAkin(ctx, old, new); err != nil {
		return err
	}
	differs := func(a *Archive) bool { return !a.Shared && !a.Akin }
	if err := l.readBoth(ctx, old, new, differs); err != nil {
		return err
	}
	if l.o.PerArchive {
		return nil
	}
	return l.readShared(ctx, old, new)
}

func (l *loader) readBoth(ctx context.Context, old, new *Side, wanted func(*Archive) bool) error {
	return both(ctx, old, new, func(ctx context.Context, b *Side) error { return l.read(ctx, b, b.take(wanted)) })
}

// open reads a build's archives.
func open(ctx context.Context, db *sql.DB, label string) (*Side, error) {
	id, err := BuildID(ctx, db, label)
	if err != nil {
		return nil, err
	}
	b := &Side{ID: id, Label: label, db: db, at: map[int64]int32{}}
	err = schema.EachRow(ctx, db, buildArchives, []driver.Value{id}, func(v []driver.Value) {
		b.at[Integer(v[1])] = int32(len(b.Archives))
		b.Archives = append(b.Archives, Archive{ID: Integer(v[0]), Ordinal: Integer(v[1]), place: Integer(v[2]),
			Entries: Integer(v[3]), Name: Text(v[4]), Format: Text(v[5]), mount: mountPoint(Text(v[6])),
			lastWins: Integer(v[7]) != 0, Group: -1, Lineage: Integer(v[8]), Edition: Integer(v[9])})
	})
	if err == nil {
		err = b.readNames(ctx, db)
	}
	if err == nil {
		err = b.readShadows(ctx, db)
	}
	return b, err
}
