package calligraphy_test

import (
	"encoding/binary"
	"math"
	"strings"

	"pakdb/codecs/internal/calligraphy"
)

// encode writes what f says the way the game's files say it: the inverse of the
// inspector, so that a lost or misplaced byte shows.
func encode(kind string, f *calligraphy.Facts) []byte {
	w := &writer{wide: f.Version == 11}
	switch kind {
	case "calligraphy-curve-directory":
		return w.head("CDR", f).records(f)
	case "calligraphy-type-directory":
		return w.head("TDR", f).records(f)
	case "calligraphy-blueprint-directory":
		return w.head("BDR", f).records(f)
	case "calligraphy-prototype-directory":
		return w.head("PDR", f).records(f)
	case "calligraphy-replacement-directory":
		return w.head("RDR", f).replacements(f)
	case "calligraphy-curve":
		return w.head("CRV", f).curve(f.Curve)
	case "calligraphy-type":
		return w.head("TYP", f).assets(f)
	case "calligraphy-blueprint":
		return w.head("BPT", f).blueprint(f.Blueprint)
	case "calligraphy-prototype":
		return w.head("PTP", f).body(treeOf(f.Prototype, 0)).b
	}
	return nil
}

type writer struct {
	b    []byte
	wide bool // directories count in 32 bits
}

func (w *writer) u8(v uint8) *writer   { w.b = append(w.b, v); return w }
func (w *writer) u16(v int) *writer    { w.b = binary.LittleEndian.AppendUint16(w.b, uint16(v)); return w }
func (w *writer) u32(v uint32) *writer { w.b = binary.LittleEndian.AppendUint32(w.b, v); return w }
func (w *writer) u64(v uint64) *writer { w.b = binary.LittleEndian.AppendUint64(w.b, v); return w }
func (w *writer) raw(s string) *writer { w.b = append(w.b, s...); return w }
func (w *writer) str(s string) *writer { return w.u16(len(s)).raw(s) }

func (w *writer) head(magic string, f *calligraphy.Facts) *writer {
	return w.raw(magic).u8(f.Version)
}

func (w *writer) count(n int) *writer {
	if w.wide {
		return w.u32(uint32(n))
	}
	return w.u16(n)
}

func (w *writer) records(f *calligraphy.Facts) []byte {
	w.count(len(f.Records))
	for _, r := range f.Records {
		w.u64(r.ID).u64(r.GUID)
		if f.Space == "prototype" {
			w.u64(r.Blueprint)
		}
		w.u8(r.Flags).str(strings.ReplaceAll(strings.TrimPrefix(r.Path, "Calligraphy/"), "/", `\`))
	}
	return w.b
}

func (w *writer) replacements(f *calligraphy.Facts) []byte {
	w.count(len(f.Replacements))
	for _, r := range f.Replacements {
		w.u64(r.Old).u64(r.New).str(r.Name)
	}
	return w.b
}

func (w *writer) curve(c *calligraphy.Curve) []byte {
	w.u32(uint32(c.Start)).u32(uint32(int(c.Start) + len(c.Values) - 1))
	for _, v := range c.Values {
		w.u64(math.Float64bits(v))
	}
	return w.b
}

func (w *writer) assets(f *calligraphy.Facts) []byte {
	w.u16(len(f.Assets))
	for _, a := range f.Assets {
		w.u64(a.ID).u64(a.GUID).u8(a.Flags).str(a.Name)
	}
	return w.b
}

func (w *writer) blueprint(b *calligraphy.Blueprint) []byte {
	w.str(b.RuntimeClass).u64(b.Default).links(b.Parents).links(b.Contributing)
	w.u16(len(b.Members))
	for _, m := range b.Members {
		w.u64(m.ID).str(m.Name).u8(m.Type).u8(m.Structure)
		if strings.IndexByte("ACPR", m.Type) >= 0 {
			w.u64(m.Subtype)
		}
	}
	return w.b
}

func (w *writer) links(links []calligraphy.Link) *writer {
	w.u16(len(links))
	for _, l := range links {
		w.u64(l.Blueprint).u8(l.Copies)
	}
	return w
}

// tree is a prototype's body as the format nests it.
type tree struct {
	Flags  uint8
	Parent uint64
	Groups []treeGroup
}

type treeGroup struct {
	Blueprint     uint64
	Copy          uint8
	Simple, Lists []treeField
}

type treeField struct {
	ID     uint64
	Type   byte
	Values []uint64 // of all types but R
	Bodies []tree   // of R
}

func (w *writer) body(t tree) *writer {
	w.u8(t.Flags)
	if t.Flags&1 != 0 {
		w.u64(t.Parent)
	}
	if t.Flags&2 == 0 {
		return w
	}
	w.u16(len(t.Groups))
	for _, g := range t.Groups {
		w.u64(g.Blueprint).u8(g.Copy).u16(len(g.Simple))
		for _, f := range g.Simple {
			w.u64(f.ID).u8(f.Type).values(f)
		}
		w.u16(len(g.Lists))
		for _, f := range g.Lists {
			w.u64(f.ID).u8(f.Type).u16(len(f.Values) + len(f.Bodies)).values(f)
		}
	}
	return w
}

func (w *writer) values(f treeField) {
	for _, v := range f.Values {
		w.u64(v)
	}
	for _, b := range f.Bodies {
		w.body(b)
	}
}

// treeOf undoes the flattening.
func treeOf(p *calligraphy.Prototype, body int32) tree {
	t := tree{Flags: p.Bodies[body].Flags, Parent: p.Bodies[body].Parent}
	for i, g := range p.Groups {
		if g.Body != body {
			continue
		}
		out := treeGroup{Blueprint: g.Blueprint, Copy: g.Copy}
		for _, f := range p.Fields {
			switch {
			case f.Group != int32(i):
			case f.Structure == 'S':
				out.Simple = append(out.Simple, fieldOf(p, f))
			default:
				out.Lists = append(out.Lists, fieldOf(p, f))
			}
		}
		t.Groups = append(t.Groups, out)
	}
	return t
}

func fieldOf(p *calligraphy.Prototype, f calligraphy.Field) treeField {
	out := treeField{ID: f.ID, Type: f.Type}
	for _, v := range p.Values[f.First : int(f.First)+int(f.Count)] {
		if f.Type == 'R' {
			out.Bodies = append(out.Bodies, treeOf(p, int32(v)))
		} else {
			out.Values = append(out.Values, v)
		}
	}
	return out
}
