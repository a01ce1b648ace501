package textfile

import (
	"bytes"
	"context"
	_ "embed"
	"io"
	"path"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
	"pakdb/internal/family"
)

//go:embed FORMAT.md
var spec string

const formatName = "text"

// Bounds of what is read of a text.
const (
	maxListed  = 256 << 10 // whose lines are listed
	maxCounted = 4 << 20   // of a file whose structure is counted
)

// kinds are the extensions of texts by kind.
var kinds = map[string]string{
	"json": "json jsonc json5 geojson",
	"xml":  "xml xsd xsl html htm xhtml svg plist resx xaml",
	"csv":  "csv tsv",
	"lua":  "lua luau",
	"text": "txt md log jsonl ndjson yaml yml toml cfg conf properties env srt vtt po pot strings js mjs ts css py cs usf ush hlsl glsl vert frag bat sh ps1 nut as gd rpy utxt",
}

// kindByExt has the kind of each extension.
var kindByExt = func() map[string]string {
	all := map[string]string{}
	for kind, extensions := range kinds {
		for _, ext := range strings.Fields(extensions) {
			all["."+ext] = kind
		}
	}
	return all
}()

// Inspector returns the inspector of texts. Its facts have a [*family.PlainFacts].
func Inspector() *codecs.Inspector {
	return &codecs.Inspector{
		Name:     formatName,
		Doc:      "texts: JSON, XML, CSV, Lua and others",
		Spec:     spec,
		Revision: 1,
		Match:    match,
		Inspect:  inspect,
	}
}

// match takes what is named as a text, and begins like one.
func match(e *codecs.Entry, head []byte) bool {
	if kindByExt[strings.ToLower(path.Ext(e.Name))] == "" {
		return false
	}
	return wide(head) || bytes.IndexByte(head, 0) < 0
}

// wide reports UTF-16 by its mark.
func wide(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

func inspect(ctx context.Context, content io.ReaderAt, size int64, e *codecs.Entry) (*codecs.Facts, error) {
	kind := kindByExt[strings.ToLower(path.Ext(e.Name))]
	if kind == "" {
		kind = "text"
	}
	first, err := bin.Section(content, 0, min(size, maxCounted), size, maxCounted)
	if err != nil {
		return nil, problem("content", 0, err)
	}
	f := &family.PlainFacts{}
	tell := func(name string, value int64) { f.Figures = append(f.Figures, family.Figure{Name: name, Value: value}) }
	count, err := countLines(ctx, content, size, first)
	if err != nil {
		return nil, problem("content", 0, err)
	}
	tell("lines", count)
	if wide(first) {
		tell("utf16", 1)
	}
	if size <= maxCounted {
		for _, c := range counted(kind, first) {
			tell(c.Name, c.Value)
		}
	}
	if left := listLines(f, first[:min(len(first), maxListed)]) + size - min(size, maxListed); left > 0 {
		tell("bytes_not_searched", left)
	}
	return &codecs.Facts{Kind: kind, Detail: f}, nil
}

func problem(field string, off int64, err error) *codecs.FormatError {
	err, off = codecs.Classify(err, off)
	return &codecs.FormatError{Format: formatName, Field: field, Off: off, Err: err}
}

// countLines counts the lines of a content, whose first bytes were read.
func countLines(ctx context.Context, content io.ReaderAt, size int64, first []byte) (n int64, err error) {
	feed := []byte("\n")
	if bytes.HasPrefix(first, []byte("\xff\xfe")) {
		feed = []byte("\n\x00")
	} else if bytes.HasPrefix(first, []byte("\xfe\xff")) {
		feed = []byte("\x00\n")
	}
	n = int64(bytes.Count(first, feed))
	last := first
	if rest := size - int64(len(first)); rest > 0 {
		r := io.NewSectionReader(content, int64(len(first)), rest)
		buf := make([]byte, 256<<10)
		for {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			k, err := io.ReadFull(r, buf)
			n += int64(bytes.Count(buf[:k], feed))
			if k > 0 {
				last = buf[:k]
			}
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				break
			}
			if err != nil {
				return 0, err
			}
		}
	}
	if len(last) > 0 && !bytes.HasSuffix(last, feed) {
		n++
	}
	return n, nil
}
