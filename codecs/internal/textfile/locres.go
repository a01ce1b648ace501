package textfile

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"path"
	"strings"
	"unicode/utf16"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

//go:embed LOCRES.md
var locresSpec string

const locresFormatName = "locres"

// locresMaxSize bounds the content held in memory. The largest file known has 20 MB.
const locresMaxSize = 256 << 20

// The first 16 bytes, which files of version 0 lack.
const (
	magicRes  = "\x0e\x14\x74\x75\x67\x4a\x03\xfc\x4a\x15\x90\x9d\xc3\x37\x7f\x1b"
	magicMeta = "\x4f\xee\x4c\xa1\x68\x48\x55\x83\x6c\x4c\x46\xbd\x70\xda\x50\x7c"
)

// The kinds of contents.
const (
	kindRes  = "unreal-locres"
	kindMeta = "unreal-locmeta"
)

// LocresInspector returns the inspector of localised texts. Its facts are of kind
// "unreal-locres" with an [*unreal.LocresFacts], or "unreal-locmeta" with an
// [*unreal.LocmetaFacts].
//
// The first bytes decide. Without them the extension does: .locres of version 0 has
// none, and a damaged .locmeta is to be reported.
func LocresInspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     locresFormatName,
		Doc:      "localised texts of Unreal Engine, and which languages there are",
		Spec:     locresSpec,
		Revision: 1,
		Match:    func(e *codecs.Entry, head []byte) bool { return kindOf(e, head) != "" },
		Inspect:  locresInspect,
	}
}

func kindOf(e *codecs.Entry, head []byte) string {
	switch {
	case strings.HasPrefix(string(head), magicRes):
		return kindRes
	case strings.HasPrefix(string(head), magicMeta):
		return kindMeta
	case strings.EqualFold(path.Ext(e.Name), ".locres"):
		return kindRes
	case strings.EqualFold(path.Ext(e.Name), ".locmeta"):
		return kindMeta
	}
	return ""
}

func locresInspect(ctx context.Context, content io.ReaderAt, size int64, e *codecs.Entry) (*codecs.Facts, error) {
	body, err := whole(ctx, locresFormatName, content, size, locresMaxSize)
	if err != nil {
		return nil, err
	}
	d := &locresDecoder{r: bin.NewReader(body, 0, binary.LittleEndian), size: size}
	facts := &codecs.Facts{Kind: kindOf(e, body[:min(len(body), codecs.HeadSize)])}
	if facts.Kind == kindMeta {
		facts.Detail, err = d.locmeta()
	} else {
		facts.Detail, err = d.locres(string(body[:min(len(body), len(magicRes))]) == magicRes)
	}
	if err != nil {
		return nil, err
	}
	facts.Problems = d.problems
	return facts, nil
}

// locresFailure makes an error of texts.
func locresFailure(field string, err error, off int64) *codecs.FormatError {
	return failure(locresFormatName, field, err, off)
}

// The newest versions known.
const (
	newestRes  = 3
	newestMeta = 2
)

// The fewest bytes that elements take.
const (
	minString    = 4
	minNamespace = 8
	minKey       = 12
)

type locresDecoder struct {
	r        *bin.Reader
	size     int64
	problems []*codecs.FormatError

	facts  *unreal.LocresFacts
	hashes []uint32 // of facts.Texts, as far as they are strings
	wide   []byte   // scratch space of sourceHash
}

// add reports a problem.
func (d *locresDecoder) add(field string, err error, off int64) {
	d.problems = append(d.problems, locresFailure(field, err, off))
}

// failed reports a failure of the reader as a problem of the field.
func (d *locresDecoder) failed(field string) bool {
	if err := d.r.Err(); err != nil {
		d.add(field, err, d.r.Off())
		return true
	}
	return false
}

// locres reads a .locres. What comes before damage is returned, and the damage is a
// problem; if not even the version is readable there is an error.
func (d *locresDecoder) locres(magic bool) (*unreal.LocresFacts, error) {
	version := 0
	if magic {
		d.r.Skip(len(magicRes))
		version = int(d.r.U8())
	}
	if d.r.Err() == nil && version > newestRes {
		return nil, locresFailure("version", codecs.Errorf(errors.ErrUnsupported, "version %d, 0 to %d are known", version, newestRes), d.r.Off()-1)
	}
	end := d.size
	d.facts = &unreal.LocresFacts{Version: version}
	if version >= 1 {
		end = d.strings()
	}
	entries := int64(-1)
	if version >= 2 {
		entries = int64(d.r.I32())
	}
	if err := d.r.Err(); err != nil {
		return nil, locresFailure("header", err, 0)
	}
	if !d.namespaces() {
		if version == 0 && len(d.facts.Rows) == 0 { // no sign that it is one
			return nil, d.problems[len(d.problems)-1]
		}
		return d.facts, nil
	}
	if entries >= 0 && entries != int64(len(d.facts.Rows)) {
		d.add("entries", codecs.Errorf(codecs.ErrNonStrict, "%d are declared, %d are there", entries, len(d.facts.Rows)), 25)
	}
	if off := d.r.Off(); off != end {
		d.add("namespaces", codecs.Errorf(codecs.ErrNonStrict, "end here, and what follows begins at 0x%x", end), off)
	}
	return d.facts, nil
}

// strings reads the table of strings, which ends the file, and leaves the reader
// after the offset of the table. It returns the offset at which the namespaces end.
func (d *locresDecoder) strings() int64 {
	field := d.r.Off()
	off := d.r.I64()
	if d.r.Err() != nil || off == -1 {
		return d.size
	}
	back := d.r.Pos()
	if off < int64(back) || off > d.size {
		d.add("offset of strings", codecs.Errorf(codecs.ErrCorrupt, "0x%x in a file of %d bytes", off, d.size), field)
		return d.size
	}
	table := *d.r // its errors are of the strings alone
	table.Seek(int(off))
	d.table(&table)
	return off
}

func (d *locresDecoder) table(r *bin.Reader) {
	minElem := minString
	if d.facts.Version >= 2 {
		minElem += 4
	}
	n := r.Count(minElem)
	d.facts.Texts = make([]string, 0, n)
	d.hashes = make([]uint32, 0, n)
	for range n {
		text := unreal.FString(r)
		if d.facts.Version >= 2 {
			r.Skip(4) // how many keys have the string
		}
		if r.Err() != nil {
			break
		}
		d.facts.Texts = append(d.facts.Texts, text.String())
		d.hashes = append(d.hashes, d.sourceHash(text))
	}
	d.facts.Strings = len(d.facts.Texts)
	if err := r.Err(); err != nil {
		d.add("strings", err, r.Off())
	} else if r.Len() > 0 {
		d.add("strings", codecs.Errorf(codecs.ErrNonStrict, "%d bytes follow", r.Len()), r.Off())
	}
}

// namespaces reads namespaces and keys, and reports whether all are there.
func (d *locresDecoder) namespaces() bool {
	minElem := minNamespace
	if d.facts.Version >= 2 {
		minElem += 4
	}
	n := d.r.Count(minElem)
	if d.failed("namespaces") {
		return false
	}
	for range n {
		if d.facts.Version >= 2 {
			d.r.Skip(4) // hash
		}
		name := unreal.FString(d.r)
		if d.failed("namespace") {
			return false
		}
		d.facts.Namespaces++
		if !d.keys(d.text(name.String())) {
			return false
		}
	}
	return true
}

// text appends a text that is no string of the table.
func (d *locresDecoder) text(s string) int32 {
	d.facts.Texts = append(d.facts.Texts, s)
	return int32(len(d.facts.Texts) - 1)
}

func (d *locresDecoder) keys(namespace int32) bool {
	version := d.facts.Version
	minElem := minKey
	if version >= 2 {
		minElem += 4
	}
	n := d.r.Count(minElem)
	for range n {
		if version >= 2 {
			d.r.Skip(4) // hash
		}
		key := unreal.FString(d.r)
		row := unreal.LocalizedText{Namespace: namespace, Key: -1, SourceHash: d.r.U32()}
		at := d.r.Off()
		if version >= 1 {
			d.indexed(&row, d.r.I32(), at)
		} else if text := unreal.FString(d.r); d.r.Err() == nil {
			row.Text = d.text(text.String())
			row.Native = d.sourceHash(text) == row.SourceHash
		}
		if d.failed("key") {
			return false
		}
		row.Key = d.text(key.String())
		d.facts.Rows = append(d.facts.Rows, row)
	}
	return !d.failed("keys")
}

// indexed gives a row the string of the table that it names.
func (d *locresDecoder) indexed(row *unreal.LocalizedText, i int32, at int64) {
	if d.r.Err() != nil {
		return
	}
	if i < 0 || int(i) >= d.facts.Strings {
		row.Text = -1
		if len(d.problems) < locresMaxProblems {
			d.add("string index", codecs.Errorf(codecs.ErrCorrupt, "%d of %d", i, d.facts.Strings), at)
		}
		return
	}
	row.Text, row.Native = i, d.hashes[i] == row.SourceHash
}

// locresMaxProblems bounds how many are reported of one content: a damaged table of strings
// makes one of each key.
const locresMaxProblems = 16

// sourceHash returns what a .locres stores of a text that was translated: the CRC-32
// of its UTF-16 units, each widened to four bytes.
func (d *locresDecoder) sourceHash(t unreal.Text) uint32 {
	d.wide = d.wide[:0]
	switch {
	case t.Wide:
		for i := 0; i+1 < len(t.Bytes); i += 2 {
			d.wide = append(d.wide, t.Bytes[i], t.Bytes[i+1], 0, 0)
		}
	default:
		for _, c := range t.String() {
			if c < 0x10000 {
				d.wide = binary.LittleEndian.AppendUint32(d.wide, uint32(c))
				continue
			}
			high, low := utf16.EncodeRune(c)
			d.wide = binary.LittleEndian.AppendUint32(d.wide, uint32(high))
			d.wide = binary.LittleEndian.AppendUint32(d.wide, uint32(low))
		}
	}
	return crc32.ChecksumIEEE(d.wide)
}

// locmeta reads a .locmeta.
func (d *locresDecoder) locmeta() (*unreal.LocmetaFacts, error) {
	if magic := d.r.Bytes(len(magicMeta)); string(magic) != magicMeta {
		return nil, locresFailure("magic", codecs.Errorf(codecs.ErrCorrupt, "% x", magic), 0)
	}
	f := &unreal.LocmetaFacts{Version: int(d.r.U8())}
	if d.r.Err() == nil && f.Version > newestMeta {
		return nil, locresFailure("version", codecs.Errorf(errors.ErrUnsupported, "version %d, 0 to %d are known", f.Version, newestMeta), int64(len(magicMeta)))
	}
	f.Native = unreal.FString(d.r).String()
	f.NativeFile = unreal.FString(d.r).String()
	if err := d.r.Err(); err != nil {
		return nil, locresFailure("native culture", err, d.r.Off())
	}
	if f.Version >= 1 {
		for range d.r.Count(minString) {
			culture := unreal.FString(d.r).String()
			if d.failed("cultures") {
				return f, nil
			}
			f.Cultures = append(f.Cultures, culture)
		}
	}
	if f.Version >= 2 {
		d.r.Skip(4)
	}
	if !d.failed("cultures") && d.r.Len() > 0 {
		d.add("cultures", codecs.Errorf(codecs.ErrNonStrict, "%d bytes follow", d.r.Len()), d.r.Off())
	}
	return f, nil
}
