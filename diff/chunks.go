package diff

// chunkSize is that of the stores that Steam and Epic deliver from.
const chunkSize = 1 << 20

// run is a part of a new file that is in an old file as well, as a whole.
type run struct{ from, to int64 }

// chunks counts the chunks of files that differ which are no part of a run. Of an
// entry that changed, as many bytes as are new by the sketches are taken to
// are in its middle.
func (s *shipment) chunks(changed map[int64]edit) Way {
	d := Way{Name: WayChunks}
	for i := range s.new.files {
		f := &s.new.files[i]
		size := f.Size
		if f.Data > 0 {
			d.Of += chunksOf(f.Size)
			size = f.Data
		}
		d.Of += chunksOf(size)
		if f.kept {
			continue
		}
		missing, bytes := missingChunks(size, s.runs(f, changed))
		if f.Data > 0 { // and the table beside it
			missing, bytes = missing+chunksOf(f.Size), bytes+f.Size
		}
		d.Parts += missing
		d.Bytes += int64(float64(bytes) * s.fileDensity(f))
	}
	d.Exact = d.Parts == 0
	return d
}

func chunksOf(size int64) int64 { return (size + chunkSize - 1) / chunkSize }

// missingChunks returns how many chunks of a file lie in none of the runs, which
// are in order, and how many bytes these have.
func missingChunks(size int64, runs []run) (missing, bytes int64) {
	for from := int64(0); from < size; from += chunkSize {
		to := min(from+chunkSize, size)
		for len(runs) > 0 && runs[0].to < to {
			runs = runs[1:]
		}
		if len(runs) == 0 || runs[0].from > from {
			missing, bytes = missing+1, bytes+to-from
		}
	}
	return missing, bytes
}

// runs finds the parts of a file that are in the old build.
func (s *shipment) runs(f *shipped, changed map[int64]edit) (all []run) {
	if f.unplaced {
		return nil
	}
	last := int32(-1) // item of the old build that the last run ends with
	for i := f.from; i < f.to; i++ {
		it := &s.new.items[i]
		at, whole := s.find(i, last), true
		if at < 0 {
			e, ok := changed[it.content]
			if !ok || e.share >= 1 {
				last = -1
				continue
			}
			at, whole = e.old, false
		}
		front, back := it.length, it.length
		if !whole {
			e := changed[it.content]
			kept := it.length - e.replaces(it)
			front, back = kept/2, kept-kept/2
		}
		if s.goesOn(i, last, at) {
			all[len(all)-1].to = it.off + front
		} else {
			all = append(all, run{it.off, it.off + front})
		}
		if !whole {
			all = append(all, run{it.end() - back, it.end()})
		}
		last = at
	}
	return all
}

// goesOn reports that item i of the new build is after the one before it as
// at is after last in the old build.
func (s *shipment) goesOn(i int, last, at int32) bool {
	if last < 0 || at != last+1 || i == 0 {
		return false
	}
	a, b := &s.old.items[last], &s.old.items[at]
	x, y := &s.new.items[i-1], &s.new.items[i]
	return a.file == b.file && x.file == y.file && b.off-a.end() == y.off-x.end()
}

// find returns the item of the old build that is stored as item i of the new
// one, or -1: best the one after last; next, one that has the same neighbour
// after it.
func (s *shipment) find(i int, last int32) int32 {
	it := &s.new.items[i]
	if it.content == 0 {
		return -1
	}
	first := s.storedFirst(it)
	best := first
	for at, tried := first, 0; at >= 0 && tried < 64; at, tried = s.stored(it, s.same[at]), tried+1 {
		if s.goesOn(i, last, at) {
			return at
		}
		if best == first && i+1 < len(s.new.items) && int(at)+1 < len(s.old.items) && s.old.items[at+1].storedAs == s.new.items[i+1].storedAs {
			best = at
		}
	}
	return best
}

// fileDensity is the density of the bytes of a file.
func (s *shipment) fileDensity(f *shipped) float64 {
	bytes, left := 0.0, 0.0
	for i := f.from; i < f.to; i++ {
		it := &s.new.items[i]
		bytes += float64(it.length)
		left += float64(it.length) * s.density(it)
	}
	if bytes == 0 {
		return bareDensity
	}
	return left / bytes
}
