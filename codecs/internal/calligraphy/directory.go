package calligraphy

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// Directory is a .directory, divided into its records.
type Directory struct {
	Records []DirectoryRecord
	name    string
	head    []byte
}

// DirectoryRecord is a record as it is stored.
type DirectoryRecord struct {
	Key  uint64 // its identity in all builds: the GUID, of replacements the old one
	Name string // the path, or the dotted name of a replacement
	Data []byte
	id   int64
}

// Text returns what a record says beside its name.
func (r *DirectoryRecord) Text() string { return fmt.Sprintf("%x", r.Data[:len(r.Data)-len(r.Name)-2]) }

// OpenDirectory divides a directory. It fails for damaged ones.
func OpenDirectory(name string, content []byte) (*Directory, error) {
	var in decoder
	f, err := in.inspect(bytes.NewReader(content), int64(len(content)), extension(name))
	switch {
	case err != nil:
		return nil, err
	case len(f.Problems) > 0:
		return nil, f.Problems[0]
	case !strings.HasSuffix(f.Kind, "-directory"):
		return nil, fmt.Errorf("%w: a %s has no records", ErrRefused, f.Kind)
	}
	d := &Directory{name: name, head: content[:headerSize]}
	r := bin.NewReader(content, 0, binary.LittleEndian)
	r.Skip(headerSize)
	n := int(r.I32())
	if content[headerSize-1] == version10 {
		r.Seek(headerSize)
		n = int(r.U16())
	}
	for range n {
		from := r.Pos()
		next := DirectoryRecord{id: r.I64(), Key: r.U64()}
		switch f.Kind {
		case "calligraphy-replacement-directory":
			next.Key = uint64(next.id)
		case "calligraphy-prototype-directory":
			r.Skip(9)
		default:
			r.Skip(1)
		}
		next.Name = string(r.Bytes(int(r.U16())))
		next.Data = content[from:r.Pos()]
		d.Records = append(d.Records, next)
	}
	if r.Err() != nil || !bytes.Equal(d.With(d.Records), content) {
		return nil, fmt.Errorf("%w: %s: records that would be stored otherwise", codecs.ErrCorrupt, name)
	}
	return d, nil
}

// With returns the directory with these records. They are sorted if those of the directory are.
func (d *Directory) With(records []DirectoryRecord) []byte {
	byID := func(a, b DirectoryRecord) int { return cmp.Compare(a.id, b.id) }
	if slices.IsSortedFunc(d.Records, byID) {
		records = slices.Clone(records)
		slices.SortStableFunc(records, byID)
	}
	out := bytes.Clone(d.head)
	if d.head[headerSize-1] == version10 {
		out = binary.LittleEndian.AppendUint16(out, uint16(len(records)))
	} else {
		out = binary.LittleEndian.AppendUint32(out, uint32(len(records)))
	}
	for i := range records {
		out = append(out, records[i].Data...)
	}
	return out
}
