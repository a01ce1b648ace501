package property

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"os"

	"pakdb/codecs"
	"pakdb/codecs/unreal"
	"pakdb/internal/bin"
)

const (
	magic      = 0x30C4
	newest     = 4
	formatName = "usmap"

	// MaxSize bounds the bytes of mappings, stored and decoded. The largest known have
	// 4 MB.
	MaxSize = 32 << 20
)

// Versions of the format, by what they brought.
const (
	versionVersioning = 1
	versionLongNames  = 2
	versionLargeEnums = 3
	versionEnumValues = 4
)

// Mappings is what a file says. It is plain data: read it from as many goroutines as
// you like.
type Mappings struct {
	Version     int
	Compression string // "" none, "oodle", "brotli", "zstd"
	// UE4, UE5, Custom and ChangeList are the game's, where the file has them: 0 and
	// nil else.
	UE4, UE5   int32
	Custom     []unreal.CustomVersion
	ChangeList uint32

	Names   int // of the table
	Enums   []*EnumSchema
	Structs []*Schema // parents refer by name and path

	Extensions []string // the names of the blocks after the structs, in file order

	// Problems are the first odd items, such as a field of no elements. Its type is
	// [Unknown]; all others are read.
	Problems []error
}

// Library returns all structs and enums by path and name. Names that repeat are reported
// apart by the paths of the PPTH extension; without it the first counts.
func (m *Mappings) Library() *Library {
	l := NewLibrary()
	for _, s := range m.Structs {
		l.Add(s)
	}
	for _, e := range m.Enums {
		l.AddEnum(e)
	}
	return l
}

// ScriptObjects yields the modules, classes and structs of the program with the ids that packages
// of containers import them by, which are hashes of their paths. Mappings without paths
// yield each name as of the engine's two largest modules: one of these hashes is no id
// of anything, and does no harm.
func (m *Mappings) ScriptObjects() iter.Seq2[uint64, string] {
	return func(yield func(uint64, string) bool) {
		seen := map[string]bool{}
		for _, s := range m.Structs {
			modules := []string{s.Path}
			if s.Path == "" {
				modules = []string{"/Script/Engine", "/Script/CoreUObject"}
			}
			for _, module := range modules {
				if !seen[module] && !yield(unreal.ScriptObjectID(module), module) {
					return
				}
				seen[module] = true
				if path := module + "." + s.Name; !yield(unreal.ScriptObjectID(path), path) {
					return
				}
			}
		}
	}
}

// OpenUsmap reads the file of that name.
func OpenUsmap(name string) (*Mappings, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, err
	}
	m, err := ReadUsmap(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// ReadUsmap reads mappings. Errors are [*codecs.FormatError]s; they wrap
// [codecs.ErrUnknown] for other files, [codecs.ErrTruncated] and [codecs.ErrCorrupt]
// for damaged ones, [codecs.ErrLimit] for sizes beyond [MaxSize].
func ReadUsmap(data []byte) (*Mappings, error) {
	if len(data) > MaxSize {
		return nil, failure("size", 0, codecs.Errorf(codecs.ErrLimit, "%d bytes > %d", len(data), MaxSize))
	}
	m := &Mappings{}
	r := bin.NewReader(data, 0, binary.LittleEndian)
	if len(data) < 12 || r.U16() != magic {
		return nil, failure("magic", 0, codecs.Errorf(codecs.ErrUnknown, "no mappings"))
	}
	if m.Version = int(r.U8()); m.Version > newest {
		return nil, failure("version", 2, codecs.Errorf(codecs.ErrUnknown, "%d > %d", m.Version, newest))
	}
	m.versioning(r)
	if r.Err() != nil {
		return nil, failure("versions", r.Off(), r.Err())
	}
	body, err := m.decode(r, data)
	if err != nil {
		return nil, err
	}
	return m, m.read(body)
}

// versioning reads the versions of the game, which most dumpers leave out.
func (m *Mappings) versioning(r *bin.Reader) {
	if m.Version < versionVersioning || r.U32() == 0 {
		return
	}
	m.UE4, m.UE5 = r.I32(), r.I32()
	m.Custom = make([]unreal.CustomVersion, r.Count(20))
	for i := range m.Custom {
		m.Custom[i] = unreal.CustomVersion{Key: unreal.ReadID(r), Version: r.I32()}
	}
	m.ChangeList = r.U32()
}

func failure(field string, off int64, err error) error {
	return &codecs.FormatError{Format: formatName, Field: field, Off: off, Err: err}
}
