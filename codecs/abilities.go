package codecs

// Padder is an Archive that stores contents without their true length: what is
// stored uncompressed is filled up to a boundary, and reads back so. The same
// content stored compressed reads back exact. Two such copies are equal when
// both, filled up to the boundary, are.
type Padder interface {
	// Padding returns the boundary in bytes, and the fill, that storing the
	// content of e uncompressed would round its size up to. An align of 1
	// means that lengths are exact.
	Padding(e *Entry) (align int64, fill byte)
}

// Locator is an Archive whose entries go by other names than their paths.
type Locator interface {
	// Locate returns what tells the entries that name stands for, nil when it is
	// no such name. That there is an entry is not checked.
	Locate(name string) func(*Entry) bool
}

// NameWriter is a Writer of a format that keeps names apart from entries. The
// order of calls is the order of names; calls may come between those of Add.
type NameWriter interface {
	AddName(NamedResource) error
}

// Imitator is a Writer that can take over what a container keeps beside its
// entries and names, so that a rewritten archive differs from the original in
// nothing that nobody changed. It must be called before the first entry.
type Imitator interface {
	// Imitate takes over the habits of original, an Archive of the same Format.
	// It reads nothing after it returned.
	Imitate(original Archive) error
}

// WriterAs returns w as a T, one of the optional interfaces of writers such as
// [NameWriter]; also where w is a Writer around another, as the one that
// [WriteFile] hands out, which says so by a method Unwrap() Writer.
func WriterAs[T any](w Writer) (ability T, ok bool) {
	for w != nil {
		if ability, ok = w.(T); ok {
			return ability, true
		}
		around, wraps := w.(interface{ Unwrap() Writer })
		if !wraps {
			break
		}
		w = around.Unwrap()
	}
	return ability, false
}

// ArchiveAs returns a as a T, one of the optional interfaces of archives such as
// [Namer]; also where a is an Archive around another, which says so by a method
// Unwrap() Archive.
func ArchiveAs[T any](a Archive) (ability T, ok bool) {
	for a != nil {
		if ability, ok = a.(T); ok {
			return ability, true
		}
		around, wraps := a.(interface{ Unwrap() Archive })
		if !wraps {
			break
		}
		a = around.Unwrap()
	}
	return ability, false
}

// Sealer is an Archive of which some bytes are encrypted by AES-256 in ECB mode:
// whoever has the key can take any 16 of them apart, and put them together again.
type Sealer interface {
	// SealedBy returns the key of all entries with the flag Encrypted and of
	// tables, its id, and which parts of the archive's own file these tables are,
	// whole AES blocks each. The key is nil when it is not known, seems wrong, or
	// is for another mode.
	SealedBy() (key []byte, id [16]byte, tables []Region)
	// SealedUnit reports whether the blocks of an entry are one unit, each block
	// being padded with the beginning of the first; else each is one.
	SealedUnit() bool
}

// Region is a part of a file.
type Region struct{ Offset, Size int64 }
