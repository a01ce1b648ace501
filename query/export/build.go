package export

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"

	"pakdb/internal/atomicfile"
	"pakdb/schema"
)

// PartRows is how many rows a file has at most.
const PartRows = 1_000_000

// Options say what is exported. Format and Views may be empty.
type Options struct {
	Format string         // one of [Formats]; "" is the first
	Views  []*schema.View // nil: all
}

// Build writes a build of a catalog to a folder, in place of what the folder has of it,
// whatever views that were. The build must be there. schema.OpenToSort opens a catalog
// whose builds have more rows than memory holds.
func Build(ctx context.Context, db *sql.DB, dir, build string, opts Options) (m *Manifest, err error) {
	if opts.Format == "" {
		opts.Format = Formats()[0]
	}
	if opts.Views == nil {
		opts.Views = Views()
	}
	partition, err := Partition(build)
	if err != nil {
		return nil, err
	}
	d, err := atomicfile.Make(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	had, err := read(d, partition)
	if err != nil {
		return nil, err
	}
	if had != nil && had.Build != build {
		return nil, fmt.Errorf("%s: the file system takes builds %s and %s for one", dir, had.Build, build)
	}
	if err := d.Remove(manifestName(partition)); err != nil {
		return nil, err
	}
	m = &Manifest{Version: Version, Build: build, Format: opts.Format, Views: map[string][]File{}}
	for _, v := range Views() {
		folder := path.Join(v.Name, partition)
		err := removeParts(ctx, d, folder)
		if err == nil && slices.ContainsFunc(opts.Views, func(o *schema.View) bool { return o.Name == v.Name }) {
			p := &parts{dir: d, folder: folder, format: opts.Format, columns: v.Columns}
			m.Views[v.Name], err = p.write(func(row func([]any) error) error { return each(ctx, db, v, build, row) })
		}
		if err != nil {
			return nil, fmt.Errorf("%s of build %s: %w", v.Name, build, err)
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return m, save(d, manifestName(partition), append(text, '\n'))
}

// parts writes rows into files of at most [PartRows] rows, one at least.
type parts struct {
	dir     *atomicfile.Dir
	folder  string
	format  string
	columns []schema.ViewColumn
	files   []File

	open *file
	enc  Encoder
	rows int64 // of the open file
}

// write calls each with a function that takes the rows, and returns the files.
func (p *parts) write(each func(row func([]any) error) error) (files []File, err error) {
	defer func() {
		if p.open != nil {
			err = errors.Join(err, p.open.temp.Discard())
		}
	}()
	if err := p.begin(); err != nil {
		return nil, err
	}
	err = each(func(row []any) error {
		if p.rows == PartRows {
			if err := errors.Join(p.end(), p.begin()); err != nil {
				return err
			}
		}
		p.rows++
		return p.enc.Write(row)
	})
	if err != nil {
		return nil, err
	}
	err = p.end()
	return p.files, err
}

func (p *parts) begin() (err error) {
	p.rows = 0
	if p.open, err = begin(p.dir, path.Join(p.folder, fmt.Sprintf("part-%d.%s", len(p.files), p.format))); err != nil {
		return err
	}
	p.enc, err = NewEncoder(p.format, p.open, p.columns)
	return err
}

func (p *parts) end() error {
	if err := p.enc.Close(); err != nil {
		return err
	}
	f, err := p.open.finish(p.rows)
	if err != nil {
		return err
	}
	p.files = append(p.files, f)
	return p.open.temp.Discard()
}
