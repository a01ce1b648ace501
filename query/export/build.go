package export

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"pakdb/internal/atomicfile"
	"pakdb/query/portable"
)

// PartRows is how many rows a file has at most.
const PartRows = 1_000_000

// Options say what is exported. Format and Views may be empty.
type Options struct {
	Format string           // one of [Formats]; "" is the first
	Views  []*portable.View // nil: all
	Under  string           // of views with paths only what lies below this folder; "": all
}

// Build writes a build of a catalog to a folder, in place of what the folder has of it,
// whatever views that were. The build must be there.
func Build(ctx context.Context, db *sql.DB, dir, build string, opts Options) (m *Manifest, err error) {
	if opts.Format == "" {
		opts.Format = Formats()[0]
	}
	if opts.Views == nil {
		opts.Views = portable.Views()
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
	rows := portable.NewRows(db, build, opts.Views...)
	defer func() { err = errors.Join(err, rows.Close()) }()
	m = &Manifest{Version: portable.Version, Build: build, Format: opts.Format, Under: opts.Under, Views: map[string][]File{}}
	for _, v := range portable.Views() {
		folder := path.Join(v.Name, partition)
		var files []File
		if slices.Contains(opts.Views, v) {
			if files, err = view(ctx, rows, d, folder, v, opts); err != nil {
				return nil, fmt.Errorf("%s of build %s: %w", v.Name, build, err)
			}
			m.Views[v.Name] = files
		}
		if err := removeOthers(ctx, d, folder, files); err != nil {
			return nil, err
		}
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return m, save(d, manifestName(partition), append(text, '\n'))
}

// view writes the rows of a view, without the column build, which the folder's name has.
func view(ctx context.Context, rows *portable.Rows, d *atomicfile.Dir, folder string, v *portable.View, opts Options) ([]File, error) {
	chosen := under(v, opts.Under)
	p := &parts{dir: d, folder: folder, format: opts.Format, columns: v.Columns[1:], order: v.Order}
	return p.write(func(row func([]portable.Cell) error) error {
		return rows.Each(ctx, v, func(values []portable.Cell) error {
			if !chosen(values) {
				return nil
			}
			return row(values[1:])
		})
	})
}

// under returns a function that says whether a row is below a folder.
func under(v *portable.View, folder string) func([]portable.Cell) bool {
	at := slices.Index(v.Names(), "path")
	folder = strings.TrimSuffix(folder, "/")
	if at < 0 || folder == "" {
		return func([]portable.Cell) bool { return true }
	}
	return func(values []portable.Cell) bool {
		path := values[at].Bytes
		return string(path) == folder || bytes.HasPrefix(path, []byte(folder+"/"))
	}
}

// parts writes rows into files of at most [PartRows] rows, one at least.
type parts struct {
	dir     *atomicfile.Dir
	folder  string
	format  string
	columns []portable.Column
	order   []string
	files   []File

	open *file
	enc  Encoder
	rows int64 // of the open file
}

// write calls each with a function that takes the rows, and returns the files.
func (p *parts) write(each func(row func([]portable.Cell) error) error) (files []File, err error) {
	defer func() {
		if p.open != nil {
			err = errors.Join(err, p.open.temp.Discard())
		}
	}()
	if err := p.begin(); err != nil {
		return nil, err
	}
	err = each(func(row []portable.Cell) error {
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
	p.enc, err = NewEncoder(p.format, p.open, p.columns, p.order)
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
