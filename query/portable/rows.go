package portable

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pakdb/schema"
	"pakdb/schema/rows"
)

// statement returns the SELECT of the rows of a build, in no order. Its parameter is the
// label.
func (v *View) statement() string {
	var b strings.Builder
	b.WriteString("SELECT ")
	for i, c := range v.Columns {
		if i > 0 {
			b.WriteString(", ")
		}
		if c.SQL != "" {
			b.WriteString(c.SQL + " AS ")
		}
		b.WriteString(`"` + c.Name + `"`)
	}
	return b.String() + " FROM " + v.from
}

// Rows are the rows of some views of a build. Views of the same tables are read at once.
type Rows struct {
	db     *sql.DB
	build  string
	views  []*View
	memory int
	makers map[*View]*maker // of hot views that are read and were not given yet
	read   bool
}

// NewRows returns the rows of these views of a build. The caller closes them.
func NewRows(db *sql.DB, build string, views ...*View) *Rows {
	return newRows(db, build, SortMemory, views)
}

func newRows(db *sql.DB, build string, memory int, views []*View) *Rows {
	return &Rows{db: db, build: build, views: views, memory: memory, makers: map[*View]*maker{}}
}

// Close removes temporary files.
func (r *Rows) Close() (err error) {
	for _, m := range r.makers {
		err = errors.Join(err, m.sorter.close())
	}
	clear(r.makers)
	return err
}

// Each calls row for each row of one of the views, sorted, with a cell for each column; they
// belong to row until it returns. Texts that are not UTF-8 have U+FFFD in place of what is
// not. Memory is bounded: rows that take more than [SortMemory] are sorted by way of a
// temporary file. An error of row ends it. It is called once for a view.
func (r *Rows) Each(ctx context.Context, v *View, row func([]Cell) error) (err error) {
	if hot[v.Name] != nil && !r.read {
		r.read = true
		if err := r.readHot(ctx); err != nil && !errors.Is(err, rows.ErrUnusual) {
			return fmt.Errorf("%s of build %s: %w", v.Name, r.build, err)
		} else if err != nil {
			if err := r.Close(); err != nil {
				return err
			}
		}
	}
	m := r.makers[v]
	if m == nil {
		return v.EachBySQL(ctx, r.db, r.build, r.memory, row)
	}
	delete(r.makers, v)
	defer func() {
		if closeErr := m.sorter.close(); err == nil {
			err = closeErr
		}
	}()
	return m.give(ctx, r.build, row)
}

// readHot reads the entries of the build for all hot views. It fails with [rows.ErrUnusual]
// where only SQL can tell the rows.
func (r *Rows) readHot(ctx context.Context) error {
	views := slices.DeleteFunc(slices.Clone(r.views), func(v *View) bool { return hot[v.Name] == nil })
	all := make([]*maker, 0, len(views))
	var want rows.Want
	for _, v := range views {
		h := hot[v.Name]
		m, err := h.maker(ctx, r.db, v, r.memory/len(views))
		if err != nil {
			return err
		}
		r.makers[v] = m
		all = append(all, m)
		want.Paths, want.Files = want.Paths || h.want.Paths, want.Files || h.want.Files
	}
	err := rows.Read(ctx, r.db, r.build, want, func(e *rows.Entry) error {
		for _, m := range all {
			if err := m.add(e); err != nil {
				return err
			}
		}
		return nil
	})
	for _, m := range all {
		if err == nil {
			err = m.sorter.end()
		}
	}
	return err
}

// Each calls row for each row of a build, as [Rows.Each] does.
func (v *View) Each(ctx context.Context, db *sql.DB, build string, row func([]Cell) error) error {
	return v.EachIn(ctx, db, build, SortMemory, row)
}

// EachIn is [View.Each] with another limit of bytes that are sorted in memory.
func (v *View) EachIn(ctx context.Context, db *sql.DB, build string, memory int, row func([]Cell) error) (err error) {
	r := newRows(db, build, memory, []*View{v})
	defer func() {
		if closeErr := r.Close(); err == nil {
			err = closeErr
		}
	}()
	return r.Each(ctx, v, row)
}

// EachBySQL is [View.EachIn] by the view of the catalog, which says what rows are.
func (v *View) EachBySQL(ctx context.Context, db *sql.DB, build string, memory int, row func([]Cell) error) (err error) {
	if none, err := v.hasNone(ctx, db); none || err != nil {
		return err
	}
	s, err := newSorter(v, memory, len(v.Columns))
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := s.close(); err == nil {
			err = closeErr
		}
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	cells := make([]Cell, len(v.Columns))
	err = schema.EachRow(ctx, db, v.statement(), []driver.Value{build}, func(values []driver.Value) {
		for i := 0; i < len(values) && failed == nil; i++ {
			failed = v.Columns[i].fill(&cells[i], values[i])
		}
		if failed == nil {
			failed = s.add(cells)
		}
		if failed != nil {
			stop()
		}
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return fmt.Errorf("%s of build %s: %w", v.Name, build, err)
	}
	return s.each(ctx, row)
}

// hasNone reports whether the tables that rows are made of are empty, which the view takes
// all entries to find out.
func (v *View) hasNone(ctx context.Context, db *sql.DB) (bool, error) {
	for _, table := range v.of {
		some := false
		err := schema.EachRow(ctx, db, "SELECT 1 FROM "+table+" LIMIT 1", nil, func([]driver.Value) { some = true })
		if some || err != nil {
			return false, err
		}
	}
	return len(v.of) > 0, nil
}
