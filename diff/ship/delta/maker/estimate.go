package maker

import (
	"bytes"
	"context"
	"io"

	"pakdb/codecs"
	"pakdb/codecs/compress"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/inside"
	"pakdb/internal/stored"
)

// Estimate returns what updating from one build to another takes by several ways
// of transport, in bytes to be downloaded.
type Estimate struct {
	New   int64 // the new files as they are
	Files int   // how many these are

	Whole      int64 // of the new files, those that no old file equals
	WholeFiles int

	Chunks  int64 // of the new files, cut into chunks of 1 MiB, those that are nowhere in the old ones, each by zstd
	Missing int   // how many chunks these are
	Total   int   // of how many

	Entries int64 // stored bytes of entries that are new or changed under their path, as a patch of whole entries has them
	Changed int   // how many entries these are
	Stored  int   // of how many

	Delta    int64       // the patch that Make makes
	Made     int64       // stored bytes that applying it compresses again
	Old, Now []delta.Sum // hashes of the files, old and new
}

// chunkSize is that of the stores that Steam and Epic deliver from.
const chunkSize = 1 << 20

// NewEstimate computes all of them. The patch is made to know its size, and not
// kept. Stores of chunks are modelled by what is documented of them: chunks of
// 1 MiB, found at any offset of the old files.
func NewEstimate(ctx context.Context, old, new []delta.Input, temp string, o *MakeOptions) (*Estimate, error) {
	e := &Estimate{Files: len(new)}
	m, err := makePatch(ctx, old, new, io.Discard, temp, o, &trust{wanted: true}, nil) // none is kept
	if err != nil {
		return nil, err
	}
	h := m.h
	e.Delta = h.Length()
	for _, n := range m.stats.Made {
		e.Made += n
	}
	have := map[delta.Sum]bool{}
	for _, f := range h.Old {
		have[f.Sum] = true
		e.Old = append(e.Old, f.Sum)
	}
	var changed []delta.Input
	for i, f := range h.New {
		e.Now = append(e.Now, f.Sum)
		e.New += f.Size
		e.Total += int((f.Size + chunkSize - 1) / chunkSize)
		if !have[f.Sum] {
			e.Whole += f.Size
			changed = append(changed, new[i])
		}
	}
	e.WholeFiles = len(changed)
	stored.Step(ctx, delta.StepReading, delta.SizeOfInputs(old)+delta.SizeOfInputs(new))
	if err := e.entries(ctx, old, new, o); err != nil {
		return nil, err
	}
	stored.Step(ctx, delta.StepChunks, delta.SizeOfInputs(old))
	return e, e.chunks(ctx, old, changed)
}

// entries adds up what a patch of whole entries has.
func (e *Estimate) entries(ctx context.Context, old, new []delta.Input, o *MakeOptions) error {
	if o == nil {
		o = &MakeOptions{}
	}
	registry := o.Registry
	if registry == nil {
		registry = &codecs.Registry{}
	}
	var builds [2]*inside.Build
	for i, inputs := range [][]delta.Input{old, new} {
		b, err := inside.NewBuild(ctx, inputs, registry, o.Open, &delta.KeyRing{})
		if err != nil {
			return err
		}
		builds[i] = b
	}
	if _, err := inside.Hash(ctx, builds[:]...); err != nil {
		return err
	}
	have := map[string]bool{}
	for i := range builds[0].Entries {
		have[builds[0].Identity(i)] = true
	}
	for i := range builds[1].Entries {
		id := builds[1].Identity(i)
		if id != "" {
			e.Stored++
		}
		if id != "" && !have[id] {
			e.Changed++
			for _, x := range builds[1].ExtentsOf(i) {
				e.Entries += x.Stored
			}
		}
	}
	return nil
}

// roller hashes the last chunkSize bytes: a polynomial modulo 2^64.
type roller struct {
	hash, out uint64 // out is the base to the power of chunkSize
	ring      []byte
	n         int
}

const rollBase = 0x9e3779b97f4a7c15 | 1

func newRoller() *roller {
	r := &roller{out: 1, ring: make([]byte, chunkSize)}
	for range chunkSize {
		r.out *= rollBase
	}
	return r
}

// add returns the hash once chunkSize bytes were added.
func (r *roller) add(c byte) (uint64, bool) {
	at := r.n % chunkSize
	r.hash = r.hash*rollBase + uint64(c) + 1
	if r.n >= chunkSize {
		r.hash -= r.out * (uint64(r.ring[at]) + 1)
	}
	r.ring[at] = c
	r.n++
	return r.hash, r.n >= chunkSize
}

// newChunk is a chunk of a new file.
type newChunk struct {
	file int
	off  int64
	n    int64
}

// chunks looks for the new files' chunks in the old ones: whole ones anywhere, and
// what is left at the end of a file at the end of the old file of its name.
func (e *Estimate) chunks(ctx context.Context, old, new []delta.Input) error {
	wanted, named := map[uint64]newChunk{}, map[string]delta.Input{}
	for _, in := range old {
		named[in.Name] = in
	}
	var short []newChunk // at the ends of files
	for i, in := range new {
		for off := int64(0); off < in.Size; off += chunkSize {
			c := newChunk{i, off, min(chunkSize, in.Size-off)}
			p, err := e.read(ctx, in, c)
			if err != nil {
				return err
			}
			if c.n < chunkSize {
				if !endsWith(named[in.Name], p) {
					short = append(short, c)
				}
				continue
			}
			r := uint64(0)
			for _, b := range p {
				r = r*rollBase + uint64(b) + 1
			}
			wanted[r] = c
		}
	}
	for _, in := range old {
		if err := drop(ctx, in, wanted); err != nil {
			return err
		}
	}
	for _, c := range wanted {
		short = append(short, c)
	}
	e.Missing = len(short)
	for _, c := range short {
		p, err := e.read(ctx, new[c.file], c)
		if err != nil {
			return err
		}
		z, err := compress.Encode(compress.Zstd, nil, p)
		if err != nil {
			return err
		}
		e.Chunks += int64(min(len(z), len(p)))
	}
	return nil
}

// endsWith reports whether a file ends in p.
func endsWith(in delta.Input, p []byte) bool {
	n := int64(len(p))
	if in.Size < n {
		return false
	}
	q := make([]byte, n)
	return stored.ReadAt(in, q, in.Size-n) == nil && bytes.Equal(p, q)
}

func (e *Estimate) read(ctx context.Context, in delta.Input, c newChunk) ([]byte, error) {
	p := make([]byte, c.n)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return p, stored.ReadAt(in, p, c.off)
}

// drop takes out the chunks that a file has, at any offset.
func drop(ctx context.Context, in delta.Input, wanted map[uint64]newChunk) error {
	r, buf := newRoller(), make([]byte, 1<<20)
	for off := int64(0); off < in.Size && len(wanted) > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(int64(len(buf)), in.Size-off)]
		if err := stored.ReadAt(in, p, off); err != nil {
			return err
		}
		off += int64(len(p))
		stored.ProgressOf(ctx).Add(int64(len(p)))
		for _, c := range p {
			if hash, full := r.add(c); full {
				delete(wanted, hash)
			}
		}
	}
	return nil
}
