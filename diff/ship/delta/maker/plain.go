package maker

import (
	"context"
	"errors"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/inside"
	"pakdb/internal/atomicfile"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// What is known of an archive's inside is told by operations of their own, each
// with numbers: of a small archive they may take more than they spare. Then it is
// explained a second time, as bytes, and the shorter patch counts.

// How large builds may be that are explained twice: a second or so. A larger old
// build is worth it if the first patch is not a small part of the new one.
const (
	maxPlain    = 1 << 20
	maxPlainOld = 16 << 20
	smallPart   = 8
)

// isSmall reports that builds are worth a second try: there are archives, which
// nothing is known of but by keys.
func (m *maker) isSmall() bool {
	if delta.SizeOf(m.h.Old) > maxPlainOld || delta.SizeOf(m.h.New) > maxPlain || len(m.ring.List) > 0 {
		return false
	}
	for _, b := range []*inside.Build{m.old, m.new} {
		for i := range b.Entries {
			if !b.Entries[i].Whole {
				return true
			}
		}
	}
	return false
}

// shorter explains small builds in both ways, and returns the maker that did it in
// fewer bytes, also after an error: it has to be closed. The proof is given only
// its segments.
func (m *maker) shorter(ctx context.Context, temp string, old, new []delta.Input) (*maker, error) {
	proof := m.proof
	m.proof = nil
	if err := m.run(ctx); err != nil {
		return m, err
	}
	if delta.SizeOf(m.h.Old) > maxPlain && m.h.Stored() < delta.SizeOf(m.h.New)/smallPart {
		return m, m.giveTo(proof)
	}
	if noise, err := m.noise(noiseRatio * m.h.Stored()); err != nil {
		return m, err
	} else if noise > noiseRatio*m.h.Stored() {
		return m, m.giveTo(proof)
	}
	other, err := m.asBytes(ctx, temp, old, new)
	if errors.Is(err, errLonger) {
		return m, m.giveTo(proof)
	}
	if err != nil {
		return m, err
	}
	best, rest := m, other
	if other.h.Stored() < m.h.Stored() {
		best, rest = other, m
	}
	return best, errors.Join(rest.close(), best.giveTo(proof))
}

// noiseRatio is how many times the patch what is noise to it must be, for not trying.
const noiseRatio = 2

// noise is how many stored bytes of the new build look new to who knows no format: those
// of zlib's blocks behind the first that the block in their place has otherwise: there
// the codes differ. Blocks of LZ4 and LZO resemble each other. It stops counting above most.
func (m *maker) noise(most int64) (n int64, err error) {
	for i := range m.new.Files {
		l := &m.new.Files[i]
		for k := range l.Extents {
			x := &l.Extents[k]
			if _, ok := m.pairs.find(m.old, x, position{-1, 0}); ok || x.Method != compress.Zlib {
				continue
			}
			same, err := m.alike(l, k)
			if err != nil {
				return n, err
			}
			if n += x.Stored - same; n > most {
				return n, nil
			}
		}
	}
	return n, nil
}

// alike is how many bytes at the front of extent k the old one in its place has too.
func (m *maker) alike(l *inside.Layout, k int) (int64, error) {
	x := &l.Extents[k]
	if m.pairs.entries[x.Entry] < 0 {
		return 0, nil
	}
	e := &m.old.Entries[m.pairs.entries[x.Entry]]
	j := k - m.new.Entries[x.Entry].First
	if j >= e.Count {
		return 0, nil
	}
	old := &m.old.Files[e.File]
	y := &old.Extents[e.First+j]
	a, err := l.Read(x.Off, min(x.Stored, y.Stored))
	if err != nil {
		return 0, err
	}
	b, err := old.Read(y.Off, int64(len(a)))
	if err != nil {
		return 0, err
	}
	n := 0
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return int64(n), nil
}

// asBytes explains the same builds without any format. It gives up with errLonger where a
// segment alone is longer than the patch of m: stored blocks that changed are noise, which
// takes ten times as long to code as what m made of them.
func (m *maker) asBytes(ctx context.Context, temp string, old, new []delta.Input) (*maker, error) {
	b := &maker{h: m.h.Unmade(), stats: &Stats{}, best: m.best, segment: m.segment, trust: m.trust, most: int(m.h.Stored())}
	var err error
	if b.old, err = inside.NewBuild(ctx, old, &codecs.Registry{}, nil, &b.ring); err != nil {
		return nil, err
	}
	if b.new, err = inside.NewBuild(ctx, new, &codecs.Registry{}, nil, &b.ring); err != nil {
		return nil, err
	}
	if _, err = inside.Hash(stored.WatchProgress(ctx, nil), b.old, b.new); err != nil {
		return nil, err
	}
	if b.spool, err = atomicfile.NewScratch(temp); err != nil {
		return nil, err
	}
	if err := process.RescueCall(func() error { return b.run(ctx) }); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// giveTo gives all segments to a proof, if there is one.
func (m *maker) giveTo(p *proof) error {
	if m.proof = p; p == nil {
		return nil
	}
	at := int64(0)
	for _, s := range m.h.Parts {
		stream := make([]byte, s.Stored)
		if err := stored.ReadAt(m.spool, stream, at); err != nil {
			return err
		}
		if err := p.take(provable{stream, s.File, m.recipes.List, m.e.Keys.Blocks()}); err != nil {
			return err
		}
		at += s.Stored
	}
	return nil
}
