package program

import (
	"fmt"
	"io"
	"sort"

	"pakdb/internal/stored"
)

// Run says that n bytes of a virtual file, from at on, stand at off of a part.
type Run struct {
	At, N int64
	Src   *Part
	Off   int64
}

// End returns the offset behind the run.
func (r *Run) End() int64 { return r.At + r.N }

// Virtual is a file that need not be written to be read: runs of parts, one
// behind the other. What is copied is not moved, and what is made goes to a
// spool. It is the output of a [Machine].
type Virtual struct {
	Runs  []Run
	Spool *Spool
}

// Size returns where the file ends so far.
func (v *Virtual) Size() int64 {
	if len(v.Runs) == 0 {
		return 0
	}
	return v.Runs[len(v.Runs)-1].End()
}

// Add appends n bytes of a part.
func (v *Virtual) Add(src *Part, off, n int64) {
	if n == 0 {
		return
	}
	if k := len(v.Runs) - 1; k >= 0 && v.Runs[k].Src == src && v.Runs[k].Off+v.Runs[k].N == off {
		v.Runs[k].N += n
		return
	}
	v.Runs = append(v.Runs, Run{v.Size(), n, src, off})
}

// CopyFrom appends bytes of a part, or of another virtual file: then of the parts
// that it consists of. False: of anything else it cannot.
func (v *Virtual) CopyFrom(src io.ReaderAt, off, n int64) bool {
	switch src := src.(type) {
	case *Part:
		v.Add(src, off, n)
	case *Virtual:
		src.each(off, n, func(r Run) { v.Add(r.Src, r.Off, r.N) })
	default:
		return false
	}
	return true
}

// find returns the run that holds a byte.
func (v *Virtual) find(off int64) int {
	return sort.Search(len(v.Runs), func(i int) bool { return v.Runs[i].End() > off })
}

// each passes on the runs of n bytes from off on, cut to them.
func (v *Virtual) each(off, n int64, do func(r Run)) {
	for i := v.find(off); i < len(v.Runs) && v.Runs[i].At < off+n; i++ {
		do(v.Runs[i].Cut(off, off+n))
	}
}

// Cut is what of a run lies between two places.
func (r Run) Cut(from, to int64) Run {
	from, to = max(r.At, from), min(r.End(), to)
	return Run{from, to - from, r.Src, r.Off + from - r.At}
}

// StandsAt tells where in a part all of n bytes stand, one behind the other.
func (v *Virtual) StandsAt(src *Part, off, n int64) (int64, bool) {
	i := v.find(off)
	if i == len(v.Runs) || v.Runs[i].Src != src || n > v.Runs[i].End()-off {
		return 0, false
	}
	return v.Runs[i].Off + off - v.Runs[i].At, true
}

// holds reports that n bytes stand in the spool, where they can be replaced.
func (v *Virtual) holds(off, n int64) bool {
	_, ok := v.StandsAt(v.Spool.Part, off, n)
	return ok
}

// ReadAt implements io.ReaderAt.
func (v *Virtual) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, io.EOF
	}
	v.each(off, int64(len(p)), func(r Run) {
		if err == nil {
			at := r.At - off
			err = stored.ReadAt(r.Src, p[at:at+r.N], r.Off)
			n += int(r.N)
		}
	})
	switch {
	case err != nil:
		return 0, err
	case n < len(p):
		return n, io.EOF
	}
	return n, nil
}

// WriteAt appends what is made, or replaces bytes that are there.
func (v *Virtual) WriteAt(p []byte, off int64) (int, error) {
	size := v.Size()
	if off < 0 || off > size || off < size && int64(len(p)) > size-off {
		return 0, fmt.Errorf("write of %d bytes at %d of %d", len(p), off, size)
	}
	if off < size {
		return len(p), v.replace(p, off)
	}
	at, err := v.Spool.Store(p)
	v.Add(v.Spool.Part, at, int64(len(p)))
	return len(p), err
}

// replace changes bytes: in the spool, or by cutting the runs that they are in.
func (v *Virtual) replace(p []byte, off int64) error {
	n := int64(len(p))
	if at, ok := v.StandsAt(v.Spool.Part, off, n); ok {
		return v.Spool.patch(p, at)
	}
	at, err := v.Spool.Store(p)
	if err != nil {
		return err
	}
	size := v.Size()
	behind := Virtual{}
	v.each(off+n, size-off-n, func(r Run) { behind.Add(r.Src, r.Off, r.N) })
	i := v.find(off)
	before := v.Runs[i].Cut(0, off)
	v.Runs = v.Runs[:i]
	v.Add(before.Src, before.Off, before.N)
	v.Add(v.Spool.Part, at, n)
	for _, r := range behind.Runs {
		v.Add(r.Src, r.Off, r.N)
	}
	return nil
}
