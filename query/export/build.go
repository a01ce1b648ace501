package export

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

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
// whatever views that were. The build must be there.
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

// Manifest is what _SUCCESS.json says of a build.
type Manifest struct {
	Version int               `json:"version"` // of the views
	Build   string            `json:"build"`
	Format  string            `json:"format"`
	Views   map[string][]File `json:"views"`
}

// File is a file of a view.
type File struct {
	Name   string `json:"name"`
	Rows   int64  `json:"rows"`
	Size   int64  `json:"size"`
	BLAKE3 string `json:"blake3"`
}

// maxFolder bounds the name of a build's folder.
const maxFolder = 240

// Partition returns the name of the folder of a build: "build=1.52". What Hive or a file
// system does not take in a name is written %XX.
func Partition(build string) (string, error) {
	var b strings.Builder
	b.WriteString("build=")
	for i := range len(build) {
		c := build[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' && i < len(build)-1 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() > maxFolder {
		return "", fmt.Errorf("build %s: its label is too long for the name of a folder", build)
	}
	return b.String(), nil
}

func manifestName(partition string) string {
	return path.Join("_builds", partition, "_SUCCESS.json")
}

// read returns what a folder says of a build, nil if it has none that is complete.
func read(d *atomicfile.Dir, partition string) (*Manifest, error) {
	text, err := d.ReadFile(manifestName(partition))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Path(manifestName(partition)), err)
	}
	return m, nil
}

// save writes a file of the folder at once.
func save(d *atomicfile.Dir, name string, content []byte) (err error) {
	f, err := begin(d, name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.temp.Discard()) }()
	if _, err := f.Write(content); err != nil {
		return err
	}
	_, err = f.finish(0)
	return err
}

// file is a file that is written. It is discarded, also when it is finished.
type file struct {
	*bufio.Writer
	name string
	temp *atomicfile.Temp
	hash *blake3.Hasher
}

func begin(d *atomicfile.Dir, name string) (*file, error) {
	if err := d.MkdirAll(path.Dir(name)); err != nil {
		return nil, err
	}
	d.Sweep(path.Dir(name), path.Base(name))
	temp, err := d.Create(name, 0o666)
	if err != nil {
		return nil, err
	}
	h := blake3.New()
	return &file{bufio.NewWriterSize(io.MultiWriter(temp, h), 256<<10), d.Path(name), temp, h}, nil
}

// finish gives the file its name after its bytes were read back.
func (f *file) finish(rows int64) (done File, err error) {
	if err := f.Flush(); err != nil {
		return done, err
	}
	written := f.hash.Sum(nil)
	done = File{Name: filepath.Base(f.name), Rows: rows, BLAKE3: hex.EncodeToString(written)}
	if err := f.temp.Sync(); err != nil {
		return done, err
	}
	if _, err := f.temp.Seek(0, io.SeekStart); err != nil {
		return done, err
	}
	f.hash.Reset()
	if done.Size, err = io.Copy(f.hash, f.temp.File.File); err != nil {
		return done, err
	}
	if !bytes.Equal(f.hash.Sum(nil), written) {
		return done, fmt.Errorf("%s: other bytes were read than written", f.name)
	}
	return done, f.temp.Commit()
}

// removeParts removes the files of a view of a build, and folders that have nothing else.
func removeParts(ctx context.Context, d *atomicfile.Dir, folder string) error {
	all, err := fs.ReadDir(d.FS(), folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, f := range all {
		if !strings.HasPrefix(f.Name(), "part-") {
			continue
		}
		if err := errors.Join(ctx.Err(), d.Remove(path.Join(folder, f.Name()))); err != nil {
			return err
		}
	}
	d.RemoveEmpty(folder)
	return nil
}

// Beside writes duckdb.sql into a folder, which makes the views that the folder has as
// Parquet.
func Beside(ctx context.Context, dir string) (err error) {
	d, err := atomicfile.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	var have []*schema.View
	for _, v := range Views() {
		files, err := fs.Glob(d.FS(), v.Name+"/build=*/*.parquet")
		if err != nil {
			return err
		}
		if len(files) > 0 {
			have = append(have, v)
		}
	}
	if len(have) == 0 {
		return nil
	}
	return save(d, "duckdb.sql", []byte(duckDB(have)))
}

// Contents is the view of the catalog that has no build, as engines make it of entries.
const Contents = "SELECT content, max(size) AS size, max(kind) AS kind, count(*) AS entry_count, count(DISTINCT build) AS build_count FROM entries WHERE content IS NOT NULL GROUP BY content"

// duckDB returns the SQL that makes views in DuckDB. It is run in the folder. Views show
// builds that are complete; if there is none, asking them is an error.
func duckDB(have []*schema.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Views of pakdb, version %d: run duckdb in this folder, then .read duckdb.sql\n", Version)
	b.WriteString(`CREATE OR REPLACE MACRO complete_builds() AS TABLE SELECT build
    FROM read_json('_builds/build=*/_SUCCESS.json', columns = {'build': 'VARCHAR'}, hive_partitioning = false);
`)
	for _, v := range have {
		fmt.Fprintf(&b, "CREATE OR REPLACE VIEW %s AS SELECT build, * EXCLUDE (build)\n    FROM read_parquet('%[1]s/build=*/*.parquet', hive_partitioning = true, hive_types = {'build': VARCHAR})\n    WHERE build IN (FROM complete_builds());\n", v.Name)
		if v.Name == "entries" {
			fmt.Fprintf(&b, "CREATE OR REPLACE VIEW contents AS %s;\n", Contents)
		}
	}
	return b.String()
}
