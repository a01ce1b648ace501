package retropak

import (
	"bytes"
	"encoding/binary"
	"iter"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// named is one named resource as stored.
type named struct {
	name   []byte
	fourCC [4]byte
	id     uint64
	at     int64 // offset of the record
}

// readNamed reads the next named resource. Metroid Prime 1 and 2 store type,
// id, length and name; Metroid Prime 3 name, NUL, type and id.
func (l layout) readNamed(r *bin.Reader, maxName int) (n named, err error) {
	n.at = r.Off()
	if l.cmpd {
		n.name = r.CString()
	}
	copy(n.fourCC[:], r.Bytes(4))
	n.id = l.readID(r)
	if !l.cmpd {
		off, size := r.Off(), int64(r.U32())
		if size > int64(maxName) && r.Err() == nil {
			return n, &bin.Error{Off: off, Need: size, Have: int64(maxName), Err: bin.ErrLimit}
		}
		n.name = r.Bytes(int(size))
	}
	return n, r.Err()
}

func (l layout) appendNamed(b []byte, n named) []byte {
	if l.cmpd {
		b = append(append(b, n.name...), 0)
	}
	b = l.appendID(append(b, n.fourCC[:]...), n.id)
	if !l.cmpd {
		b = binary.BigEndian.AppendUint32(b, uint32(len(n.name)))
		b = append(b, n.name...)
	}
	return b
}

func (l layout) appendID(b []byte, id uint64) []byte {
	if l.idBytes == 4 {
		return binary.BigEndian.AppendUint32(b, uint32(id))
	}
	return binary.BigEndian.AppendUint64(b, id)
}

// Named yields the named resources in stored order. Names are the bytes of the
// pak; real ones are UTF-8.
func (a *archive) Named() iter.Seq2[codecs.NamedResource, error] {
	return func(yield func(codecs.NamedResource, error) bool) {
		i := 0
		for n, err := range a.names() {
			res := codecs.NamedResource{Ordinal: i, Name: string(n.name), Type: typeName(n.fourCC), ID: a.id(n.id)}
			if !yield(res, err) {
				return
			}
			i++
		}
	}
}

// names yields the named resources as stored. After an error there are none.
func (a *archive) names() iter.Seq2[named, error] {
	return func(yield func(named, error) bool) {
		r := bin.NewReader(a.named.bytes, a.named.at, binary.BigEndian)
		for range a.named.n {
			n, err := a.readNamed(r, a.opts.Limits.Name)
			if err != nil {
				yield(named{at: n.at}, a.fail("", "named resource", n.at, err))
				return
			}
			if !yield(n, nil) {
				return
			}
		}
	}
}

// namedFrom is the reverse, for writing.
func (l layout) namedFrom(res codecs.NamedResource) (named, error) {
	fourCC, id, err := identify(&codecs.Entry{Type: res.Type, ID: res.ID}, l)
	if err != nil {
		return named{}, err
	}
	n := named{name: []byte(res.Name), fourCC: fourCC, id: id}
	if l.cmpd && bytes.IndexByte(n.name, 0) >= 0 {
		return named{}, codecs.Errorf(codecs.ErrName, "holds a NUL, which ends names in this version")
	}
	return n, nil
}
