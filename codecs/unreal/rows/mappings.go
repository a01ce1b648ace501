package rows

import (
	"encoding/binary"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/zeebo/blake3"

	"pakdb/codecs"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/internal/family"
)

// readMappings parses a .usmap.
func readMappings(_ string, data []byte) (*codecs.Mappings, error) {
	parsed, err := property.ReadUsmap(data)
	if err != nil {
		return nil, err
	}
	return &codecs.Mappings{Parsed: parsed, Count: len(parsed.Structs), Rows: func() *family.Batch { return classRows(parsed) },
		Problems: parsed.Problems, Names: func() any { return unreal.ScriptObjectsNamed(parsed.ScriptObjects()) }}, nil
}

// classRows returns the rows of the classes and enums of mappings.
func classRows(parsed *property.Mappings) *family.Batch {
	m := &maker{wordAt: map[*property.Type]int32{}, textAt: map[string]int32{}}
	types := map[*property.Type]int32{}
	for i, s := range parsed.Structs {
		m.exports = append(m.exports, m.class("Class", s.Path, s.Name))
		if s.Super != "" {
			m.exports[i].super = m.text(joinPath(s.SuperPath, s.Super))
		}
		for k := range s.Fields {
			f := &s.Fields[k]
			typ, ok := types[f.Type]
			if !ok {
				typ = m.text(TypeText(f.Type))
				types[f.Type] = typ
			}
			m.fields = append(m.fields, fieldRow{export: int32(i), name: m.text(f.Name), typ: typ, place: int32(f.Position), count: int32(f.Count), flags: f.Flags})
		}
	}
	for i, e := range parsed.Enums {
		m.exports = append(m.exports, m.class("Enum", e.Path, e.Name))
		for _, member := range e.Members {
			m.members = append(m.members, memberRow{int32(len(parsed.Structs) + i), m.text(member.Name), member.Value})
		}
	}
	return &family.Batch{Texts: m.texts, Rows: []family.Rows{exports.Rows(m.exports...), fields.Rows(m.fields...), members.Rows(m.members...)}}
}

// class is a class or an enum of a program.
func (m *maker) class(kind, path, name string) exportRow {
	x := exportRow{class: m.text(kind), outer: -1, object: m.text(name), super: -1, why: -1, number: -1}
	if path != "" {
		x.outer = m.text(path + ".")
	}
	return x
}

// classes are those of mappings and of packages.
type classes struct {
	lib     *property.Library
	digests sync.Map // of schemas and enums, by their addresses: [8]byte
}

func newClasses(all []*codecs.Mappings) codecs.Classes {
	var base []property.Schemas
	for _, m := range all {
		if parsed, ok := m.Parsed.(*property.Mappings); ok {
			base = append(base, parsed.Library())
		}
	}
	return &classes{lib: property.NewLibrary(base...)}
}

// Declare adds what a package declares.
func (c *classes) Declare(f *codecs.Facts, r io.ReaderAt, base, size int64, o *codecs.ValueOptions) error {
	facts, ok := f.Detail.(*unreal.PackageFacts)
	if !ok || !facts.Modern() {
		return nil
	}
	in := &window{r: r, base: base, size: size, exports: facts.Exports}
	p := &Package{PackageFacts: facts, Bytes: in.bytes}
	with := options(o)
	with.Schemas = c.lib
	p.Declares(c.lib, with)
	return nil
}

// Doubted implements [codecs.Classes]. A schema seems wrong by which a failed class is
// read, and so do its parents from the first one on that another failed class has as well:
// which of the schemas in between is the wrong one cannot be known.
func (c *classes) Doubted(failed []string) func(class string) bool {
	uses := map[*property.Schema]int{} // by how many failed classes
	wrong := map[string]bool{}
	for _, name := range failed {
		wrong[strings.ToLower(name)] = true
		for _, s := range c.parents(name) {
			uses[s]++
		}
	}
	return func(class string) bool {
		if wrong[strings.ToLower(class)] {
			return true
		}
		return slices.ContainsFunc(c.parents(class), func(s *property.Schema) bool {
			return uses[s] > 1 && s.Positions > 0 || wrong[strings.ToLower(s.Name)]
		})
	}
}

// parents returns the schema of a class, and those of its parents.
func (c *classes) parents(class string) (all []*property.Schema) {
	for s := c.lib.Struct("", class); s != nil && len(all) < 64; s = c.lib.Struct(s.SuperPath, s.Super) {
		if all = append(all, s); s.Super == "" {
			break
		}
	}
	return all
}

// recorder knows classes, and notes which of them were asked for.
type recorder struct {
	all  *classes
	seen map[any]bool // schemas, enums, and names of what is not known
	used [][8]byte
}

// Struct implements [property.Schemas].
func (r *recorder) Struct(path, name string) *property.Schema {
	s := r.all.lib.Struct(path, name)
	if s == nil {
		r.note([2]string{path, name}, func(h *blake3.Hasher) { writeTexts(h, "none", path, name) })
		return nil
	}
	r.note(s, func(h *blake3.Hasher) {
		writeTexts(h, "struct", s.Path, s.Name, s.SuperPath, s.Super)
		writeNumbers(h, int64(s.Positions))
		for i := range s.Fields {
			f := &s.Fields[i]
			writeTexts(h, f.Name, TypeText(f.Type))
			writeNumbers(h, int64(f.Position), int64(f.Count))
		}
	})
	return s
}

// Enum implements [property.Schemas].
func (r *recorder) Enum(path, name string) *property.EnumSchema {
	e := r.all.lib.Enum(path, name)
	if e == nil {
		return nil
	}
	r.note(e, func(h *blake3.Hasher) {
		writeTexts(h, "enum", e.Path, e.Name)
		for _, m := range e.Members {
			writeTexts(h, m.Name)
			writeNumbers(h, m.Value)
		}
	})
	return e
}

// note keeps the digest of what was asked for, once.
func (r *recorder) note(key any, write func(*blake3.Hasher)) {
	if r.seen[key] {
		return
	}
	r.seen[key] = true
	sum, ok := r.all.digests.Load(key)
	if !ok {
		h := blake3.New()
		write(h)
		sum = [8]byte(h.Sum(nil)[:8])
		r.all.digests.Store(key, sum)
	}
	r.used = append(r.used, sum.([8]byte))
}

// context is a hash of all classes that were asked for, and an engine. It is never 0.
func (r *recorder) context(engine int) int64 {
	h := blake3.New()
	writeNumbers(h, int64(engine))
	if r != nil {
		slices.SortFunc(r.used, func(a, b [8]byte) int { return slices.Compare(a[:], b[:]) })
		for _, sum := range r.used {
			_, _ = h.Write(sum[:])
		}
	}
	return int64(binary.LittleEndian.Uint64(h.Sum(nil)) | 1)
}

func writeTexts(h *blake3.Hasher, texts ...string) {
	for _, s := range texts {
		writeNumbers(h, int64(len(s)))
		_, _ = h.WriteString(s)
	}
}

func writeNumbers(h *blake3.Hasher, numbers ...int64) {
	for _, n := range numbers {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(n)))
	}
}
