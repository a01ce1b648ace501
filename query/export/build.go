package export

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"pakdb/internal/atomicfile"
	"pakdb/schema"
)

// partRows is how many rows a file has at most.
const partRows = 1_000_000

// Options say what is exported. Format and Views may be empty.
type Options struct {
	Format string   // one of [Formats]; "" is the first
	Views  []string // names; none: all
}

// Build writes a build of a catalog to a folder, in place of what the folder has of it,
// whatever views that were. The build must be there.
func Build(ctx context.Context, db *sql.DB, dir, build string, opts Options) (m *Manifest, err error) {
	opts.Format = cmp.Or(opts.Format, Formats()[0])
	partition, err := folderOf(build)
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
	m = &Manifest{Version: version, Build: build, Format: opts.Format, Views: map[string][]File{}}
	for _, v := range Views() {
		folder := path.Join(v.Name, partition)
		err := removeParts(ctx, d, folder)
		if err == nil && (len(opts.Views) == 0 || slices.Contains(opts.Views, v.Name)) {
			m.Views[v.Name], err = writeParts(d, folder, opts.Format, v.Columns, func(row func([]any) error) error { return each(ctx, db, v, build, row) })
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

// writeParts writes the rows of a build into files of at most partRows rows, one at least.
func writeParts(d *atomicfile.Dir, folder, format string, columns []schema.ViewColumn, each func(row func([]any) error) error) (files []File, err error) {
	var open *file
	var enc encoder
	start := func() (err error) {
		if open, err = begin(d, path.Join(folder, fmt.Sprintf("part-%d.%s", len(files), format))); err == nil {
			enc = newEncoder(format, open, columns)
		}
		return err
	}
	end := func() error {
		if err := enc.close(); err != nil {
			return err
		}
		f, err := open.finish()
		files = append(files, f)
		return err
	}
	defer func() {
		if open != nil {
			err = errors.Join(err, open.temp.Discard())
		}
	}()
	if err := start(); err != nil {
		return nil, err
	}
	err = each(func(row []any) error {
		if open.rows == partRows {
			if err := end(); err != nil {
				return err
			}
			if err := start(); err != nil {
				return err
			}
		}
		open.rows++
		return enc.write(row)
	})
	if err != nil {
		return nil, err
	}
	return files, end()
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

// folderOf returns the name of the folder of a build: "build=1.52". What Hive or a file
// system does not take in a name is written %XX.
func folderOf(build string) (string, error) {
	name := "build=" + strings.NewReplacer("+", "%20", "~", "%7E").Replace(url.QueryEscape(build))
	if stem, dot := strings.CutSuffix(name, "."); dot {
		name = stem + "%2E"
	}
	if len(name) > maxFolder {
		return "", fmt.Errorf("build %s: its label is too long for the name of a folder", build)
	}
	return name, nil
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
	_, err = f.finish()
	return err
}

// file is a file that is written. It is discarded, also when it is finished.
type file struct {
	*bufio.Writer
	name string
	temp *atomicfile.Temp
	hash *blake3.Hasher
	rows int64
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
	return &file{bufio.NewWriterSize(io.MultiWriter(temp, h), 256<<10), d.Path(name), temp, h, 0}, nil
}

// finish gives the file its name after its bytes were read back.
func (f *file) finish() (done File, err error) {
	if err := f.Flush(); err != nil {
		return done, err
	}
	written := f.hash.Sum(nil)
	done = File{Name: filepath.Base(f.name), Rows: f.rows, BLAKE3: hex.EncodeToString(written)}
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
	var views strings.Builder
	for _, v := range Views() {
		files, err := fs.Glob(d.FS(), v.Name+"/build=*/*.parquet")
		if err != nil {
			return err
		}
		if len(files) == 0 {
			continue
		}
		fmt.Fprintf(&views, duckDBView, v.Name)
		if v.Name == "entries" {
			fmt.Fprintf(&views, "CREATE OR REPLACE VIEW contents AS %s;\n", contentsSQL)
		}
	}
	if views.Len() == 0 {
		return nil
	}
	return save(d, "duckdb.sql", []byte(fmt.Sprintf(duckDBHead, version)+views.String()))
}

// contentsSQL is the view of the catalog that has no build, as engines make it of entries.
const contentsSQL = "SELECT content, max(size) AS size, max(kind) AS kind, count(*) AS entry_count, count(DISTINCT build) AS build_count FROM entries WHERE content IS NOT NULL GROUP BY content"

// The SQL that makes views in DuckDB, which runs in the folder. Views show builds that are
// complete; if there is none, asking them is an error.
const (
	duckDBHead = `-- Views of pakdb, version %d: run duckdb in this folder, then .read duckdb.sql
CREATE OR REPLACE MACRO complete_builds() AS TABLE SELECT build
    FROM read_json('_builds/build=*/_SUCCESS.json', columns = {'build': 'VARCHAR'}, hive_partitioning = false);
`
	duckDBView = `CREATE OR REPLACE VIEW %s AS SELECT build, * EXCLUDE (build)
    FROM read_parquet('%[1]s/build=*/*.parquet', hive_partitioning = true, hive_types = {'build': VARCHAR})
    WHERE build IN (FROM complete_builds());
`
)
