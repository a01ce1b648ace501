package patch

import (
	"fmt"
	"io"
	"sort"

	"pakdb/internal/stored"
)

// run says that n bytes of a virtual file, from at on, stand at off of a part.
type run struct {
	at, n int64
	src   *part
	off   int64
}

// end returns the offset behind the run.
func (r *run) end() int64 { return r.at + r.n }

// virtual is a file that need not be written to be read: runs of parts, one
// behind the other. What is copied is not moved, and what is made goes to a
// spool. It is the output of a [machine].
type virtual struct {
	runs  []run
	spool *spool
	base  *part // the file that it was read from, if it stands for another version of one
}

// Size returns where the file ends so far.
func (v *virtual) Size() int64 {
	if len(v.runs) == 0 {
		return 0
	}
	return v.runs[len(v.runs)-1].end()
}

// add appends n bytes of a part.
func (v *virtual) add(src *part, off, n int64) {
	if n == 0 {
		return
	}
	if k := len(v.runs) - 1; k >= 0 && v.runs[k].src == src && v.runs[k].off+v.runs[k].n == off {
		v.runs[k].n += n
		return
	}
	v.runs = append(v.runs, run{v.Size(), n, src, off})
}

// copyFrom appends bytes of a part, or of another virtual file: then of the parts
// that it consists of. False: of anything else it cannot.
func (v *virtual) copyFrom(src io.ReaderAt, off, n int64) bool {
	switch src := src.(type) {
	case *part:
		v.add(src, off, n)
	case *virtual:
		src.each(off, n, func(r run) { v.add(r.src, r.off, r.n) })
	default:
		return false
	}
	return true
}

// find returns the run that holds a byte.
func (v *virtual) find(off int64) int {
	return sort.Search(len(v.runs), func(i int) bool { return v.runs[i].end() > off })
}

// each passes on the runs of n bytes from off on, cut to them.
func (v *virtual) each(off, n int64, do func(r run)) {
	for i := v.find(off); i < len(v.runs) && v.runs[i].at < off+n; i++ {
		do(v.runs[i].cut(off, off+n))
	}
}

// cut is what of a run lies between two places.
func (r run) cut(from, to int64) run {
	from, to = max(r.at, from), min(r.end(), to)
	return run{from, to - from, r.src, r.off + from - r.at}
}

// standsAt tells where in a part all of n bytes stand, one behind the other.
func (v *virtual) standsAt(src *part, off, n int64) (int64, bool) {
	i := v.find(off)
	if i == len(v.runs) || v.runs[i].src != src || n > v.runs[i].end()-off {
		return 0, false
	}
	return v.runs[i].off + off - v.runs[i].at, true
}

// holds reports that n bytes stand in the spool, where they can be replaced.
func (v *virtual) holds(off, n int64) bool {
	_, ok := v.standsAt(v.spool.part, off, n)
	return ok
}

// ReadAt implements io.ReaderAt.
func (v *virtual) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, io.EOF
	}
	v.each(off, int64(len(p)), func(r run) {
		if err == nil {
			at := r.at - off
			err = stored.ReadAt(r.src, p[at:at+r.n], r.off)
			n += int(r.n)
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
func (v *virtual) WriteAt(p []byte, off int64) (int, error) {
	size := v.Size()
	if off < 0 || off > size || off < size && int64(len(p)) > size-off {
		return 0, fmt.Errorf("write of %d bytes at %d of %d", len(p), off, size)
	}
	if off < size {
		return len(p), v.replace(p, off)
	}
	at, err := v.spool.store(p)
	v.add(v.spool.part, at, int64(len(p)))
	return len(p), err
}

// replace changes bytes: in the spool, or by cutting the runs that they are in.
func (v *virtual) replace(p []byte, off int64) error {
	n := int64(len(p))
	if at, ok := v.standsAt(v.spool.part, off, n); ok {
		return v.spool.patch(p, at)
	}
	at, err := v.spool.store(p)
	if err != nil {
		return err
	}
	size := v.Size()
	behind := virtual{}
	v.each(off+n, size-off-n, func(r run) { behind.add(r.src, r.off, r.n) })
	i := v.find(off)
	before := v.runs[i].cut(0, off)
	v.runs = v.runs[:i]
	v.add(before.src, before.off, before.n)
	v.add(v.spool.part, at, n)
	for _, r := range behind.runs {
		v.add(r.src, r.off, r.n)
	}
	return nil
}

// sameAs reports whether n bytes from off on are those of another virtual file at
// another place because they stand in the same places.
func (v *virtual) sameAs(off int64, other *virtual, at, n int64) bool {
	var here, there virtual
	here.copyFrom(v, off, n)
	there.copyFrom(other, at, n)
	if len(here.runs) != len(there.runs) {
		return false
	}
	for i := range here.runs {
		if here.runs[i] != there.runs[i] {
			return false
		}
	}
	return true
}
