package unrealpak

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pakdb/codecs"
	"pakdb/internal/bin"
)

// show prints a hash as hex and anything else as it is.
func show(v any) string {
	if sum, ok := v.([20]byte); ok {
		return fmt.Sprintf("%x", sum)
	}
	return fmt.Sprint(v)
}

// layout reports what lies where nothing, or something else, should.
func (v *verifier) layout(list []extent, report func(*codecs.FormatError)) error {
	all := append(slices.Clone(list), v.regions()...)
	slices.SortFunc(all, compareExtents)
	pos, prev := int64(0), extent{ordinal: -1}
	for _, x := range all {
		switch {
		case x.off > pos:
			if err := v.gap(pos, x.off, report); err != nil {
				return err
			}
		case x.off < pos && x.end > x.off:
			report(v.a.error(v.who(x), at("offset", x.off, overlap(x, prev, v.who(prev)))))
		}
		if x.end > pos {
			pos, prev = x.end, x
		}
	}
	return v.gap(pos, v.a.footer.start, report)
}

// overlap: entries that share all of their bytes are odd, others broken.
func overlap(x, prev extent, who string) error {
	class := codecs.ErrCorrupt
	if x.off == prev.off && x.end == prev.end && x.ordinal >= 0 && prev.ordinal >= 0 {
		class = codecs.ErrNonStrict
	}
	return codecs.Errorf(class, "[0x%x, 0x%x) overlaps %s, [0x%x, 0x%x)", x.off, x.end, who, prev.off, prev.end)
}

func (v *verifier) who(x extent) string {
	if x.ordinal < 0 {
		return "the index"
	}
	return v.a.label(x.ordinal)
}

// regions are the parts of the index.
func (v *verifier) regions() []extent {
	list := []extent{regionExtent(&v.a.footer.index)}
	if v.a.hashed != nil {
		for _, g := range []*region{v.a.hashed.primary.pathHash, v.a.hashed.primary.fullDir} {
			if g != nil && g.check(v.a.footer.start, -1) == nil {
				list = append(list, regionExtent(g))
			}
		}
	}
	return list
}

func regionExtent(g *region) extent { return extent{g.off, g.off + g.size, -1} }

// gap reports bytes other than zero where no entry and no index is.
func (v *verifier) gap(from, to int64, report func(*codecs.FormatError)) error {
	buf := make([]byte, max(min(to-from, 1<<16), 0))
	for from < to {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(int64(len(buf)), to-from)]
		if err := bin.Fill(v.a.src, p, from); err != nil {
			return v.a.error("", at("gap", from, err))
		}
		if zeros := len(p) - len(bytes.TrimLeft(p, "\x00")); zeros < len(p) {
			report(v.a.error("", at("gap", from+int64(zeros), codecs.Errorf(codecs.ErrNonStrict, "bytes that belong to nothing"))))
			return nil
		}
		from += int64(len(p))
	}
	return nil
}

// repeatedNames reports names that the engine cannot distinguish.
func (v *verifier) repeatedNames() {
	seen := make(map[string]int, v.a.table.len())
	for i := range v.a.table.len() {
		name := v.a.table.name(i)
		if name == "" {
			continue
		}
		key := strings.ToLower(name)
		if first, twice := seen[key]; twice {
			v.add(i, at("name", -1, codecs.Errorf(codecs.ErrNonStrict, "entry %d has it too", first)))
		} else {
			seen[key] = i
		}
	}
}

// hashes compares names with path hashes, in both directions.
func (v *verifier) hashes() {
	t := v.a.hashed
	if t.primary.pathHash == nil || t.names == nil {
		return
	}
	for i := range t.items {
		name := t.name(i)
		switch hash, known := t.hash(i); {
		case !known:
			v.add(i, at("path hash", t.primary.pathHash.off, codecs.Errorf(codecs.ErrCorrupt, "absent: the engine will not find this file")))
		case hash != t.hashOf(name):
			v.add(i, at("path hash", t.primary.pathHash.off, codecs.Errorf(hashClass(name), "%016x, but the name has %016x", hash, t.hashOf(name))))
		}
	}
	if n := t.hashes; n > len(t.items) {
		v.container = append(v.container, at("path hash index", t.primary.pathHash.off,
			codecs.Errorf(codecs.ErrCorrupt, "%d hashes for %d names", n, len(t.items))))
	}
	v.pruned()
}

// hashClass: how the engine lower-cases letters beyond ASCII is not known.
func hashClass(name string) error {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return codecs.ErrNonStrict
		}
	}
	return codecs.ErrCorrupt
}

// pruned compares the directory after the path hashes, which lists only some
// files, with the full one.
func (v *verifier) pruned() {
	t, off := v.a.hashed, v.a.hashed.primary.pathHash.off
	p, err := prunedDirectory(v.a)
	if err != nil {
		v.container = append(v.container, err)
		return
	}
	full := make(map[string]int32, len(t.items))
	for i, it := range t.items {
		full[t.name(i)] = it.location
	}
	for i, it := range p.items {
		name := p.name(i)
		if location, ok := full[name]; !ok || location != it.location {
			v.container = append(v.container, at("pruned directory", off, codecs.Errorf(codecs.ErrNonStrict,
				"%q at location %d is not in the full directory", name, it.location)))
		}
	}
}
