package gpak

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/internal/bin"
)

//go:embed FORMAT.md
var spec string

const name = "gpak"

// The kinds, as CreateOptions.Version names them.
const (
	versionKAPG = "kapg"
	version15   = "1.5"
	version16   = "1.6"
)

// Format returns the format of .sip paks.
func Format() *codecs.Format {
	return &codecs.Format{
		Name:     name,
		Doc:      "Marvel Heroes .sip: SQLite 1.5 and 1.6, and the custom archive KAPG",
		Spec:     spec,
		Exts:     []string{".sip"},
		Versions: []string{versionKAPG, version15, version16},
		Methods:  []compress.Method{compress.LZ4, compress.None},
		Options:  func(string) []codecs.Option { return []codecs.Option{codecs.OptionMethod} },
		Revision: 1,
		Probe:    probe,
		Open:     open,
		Explain:  explain,
		Create:   create,
	}
}

const (
	magicKAPG   = "KAPG"
	magicSQLite = "SQLite format 3\x00"
)

// probe reads 16 bytes of any file, and of a database the pages of its schema
// as well: other people's databases, and pakdb's own, are not paks.
func probe(src codecs.Source) (codecs.Match, error) {
	magic, err := readMagic(src)
	if err != nil {
		return codecs.NoMatch, err
	}
	switch magic {
	case magicKAPG:
		return codecs.MagicMatch, nil
	case magicSQLite:
		return probeDatabase(src)
	}
	return codecs.NoMatch, nil
}

func probeDatabase(src codecs.Source) (codecs.Match, error) {
	switch found, err := hasPakTables(src); {
	case err == nil && found:
		return codecs.MagicMatch, nil
	case err == nil, isDamage(err):
		return codecs.NoMatch, nil
	default:
		return codecs.NoMatch, err
	}
}

// explain reports what a .sip that is not read as one lacks.
func explain(src codecs.Source) *codecs.FormatError {
	if !strings.EqualFold(path.Ext(src.Name), ".sip") {
		return nil
	}
	f := newFile(src, nil)
	switch magic, err := readMagic(src); {
	case err != nil:
		return f.fail("", "magic", 0, err)
	case src.Size < int64(len(magicSQLite)):
		return f.fail("", "magic", 0, codecs.Errorf(codecs.ErrTruncated, "the file has %d bytes", src.Size))
	case magic != magicSQLite:
		return f.fail("", "magic", 0, codecs.Errorf(codecs.ErrCorrupt, "starts neither with %q nor with %q", magicKAPG, magicSQLite[:len(magicSQLite)-1]))
	}
	_, err := hasPakTables(src)
	if err == nil {
		err = codecs.Errorf(codecs.ErrCorrupt, "a database without the tables of a pak")
	}
	return f.fail("", "schema", -1, err)
}

// isDamage reports whether an error is about the bytes, not about a failing disk.
func isDamage(err error) bool {
	return errors.Is(err, bin.ErrShort) || errors.Is(err, bin.ErrCount) || errors.Is(err, codecs.ErrCorrupt)
}

// readMagic returns magicKAPG, magicSQLite or "".
func readMagic(src codecs.Source) (string, error) {
	if src.Size < int64(len(magicKAPG)) {
		return "", nil
	}
	head := make([]byte, min(src.Size, int64(len(magicSQLite))))
	if err := bin.Fill(src, head, 0); err != nil {
		if errors.Is(err, bin.ErrShort) {
			err = nil
		}
		return "", err
	}
	switch {
	case string(head[:len(magicKAPG)]) == magicKAPG:
		return magicKAPG, nil
	case string(head) == magicSQLite:
		return magicSQLite, nil
	}
	return "", nil
}

func open(ctx context.Context, src codecs.Source, o *codecs.Options) (codecs.Archive, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := newFile(src, o)
	magic, err := readMagic(src)
	switch {
	case err != nil:
		return nil, f.fail("", "magic", 0, err)
	case magic == magicKAPG:
		return openKAPG(ctx, f)
	case magic == magicSQLite:
		return openDatabase(ctx, f)
	}
	return nil, f.fail("", "magic", 0, codecs.ErrUnknown)
}

func create(out io.WriteSeeker, o *codecs.CreateOptions) (codecs.Writer, error) {
	var d codecs.CreateOptions
	if o != nil {
		d = *o
	}
	if d.Version == "" {
		d.Version = versionKAPG
	}
	method := compress.LZ4
	if d.Version == version15 {
		method = compress.None
	}
	if err := Format().CheckOptions(o); err != nil {
		return nil, err
	}
	switch {
	case d.Keys != nil:
		return nil, refuse("", "keys", "a pak is never encrypted")
	case d.Method != compress.None && d.Method.String() != method.String():
		return nil, &codecs.FormatError{Format: name, Field: string(codecs.OptionMethod), Off: -1,
			Err: codecs.Errorf(codecs.ErrOption, "%s; version %s stores %s", d.Method, d.Version, method)}
	}
	switch d.Version {
	case versionKAPG:
		return newKAPGWriter(out), nil
	case version15, version16:
		return newDatabaseWriter(out, d.Version, method)
	}
	return nil, refuse("", "version", d.Version+"; kapg, 1.5 and 1.6 exist")
}

// refuse reports what the writer cannot do.
func refuse(entry, field, why string) error {
	return &codecs.FormatError{Format: name, Entry: entry, Field: field, Off: -1,
		Err: codecs.Errorf(errors.ErrUnsupported, "%s", why)}
}

var le = binary.LittleEndian
