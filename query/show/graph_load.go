package show

// load is the way of the drive's head through an archive.
type load struct {
	Locality
	at         int64 // where the last read ended
	first, end int64 // of all that was read
}

// measure loads one named resource.
func (l *layout) measure(r root) Locality {
	m := load{Locality: Locality{Archive: l.archive.name, Name: r.name, Path: r.path}}
	if r.asset < 0 {
		return m.Locality
	}
	l.visit++
	before := l.assets[r.asset].copies[0].off
	l.behindNeeds(r.asset, loadsAlone(r.name), func(a *placedAsset) {
		if len(a.copies) == 0 {
			m.Elsewhere++
			return
		}
		if m.Entries == 0 {
			m.begin(a.copies, before)
		}
		m.read(nearestAhead(a.copies, m.at))
	})
	m.Spread = m.end - m.first
	m.FileOrder = max(m.Spread-m.Stored, 0)
	return m.Locality
}

// begin puts the head before the last copy that lies before the resource, or
// before the first one.
func (m *load) begin(copies []extent, resource int64) {
	m.at = copies[0].off
	for _, c := range copies {
		if c.off <= resource {
			m.at = c.off
		}
	}
	m.first = m.at
}

func (m *load) read(x extent) {
	m.Entries++
	m.Stored += x.stored
	m.Seek += max(x.off-m.at, m.at-x.off)
	m.at = x.end()
	m.first, m.end = min(m.first, x.off), max(m.end, m.at)
}

// nearestAhead returns the copy that begins nearest at or after the offset, in
// the order of the file, or the last one when all begin before it.
func nearestAhead(copies []extent, at int64) extent {
	for _, c := range copies {
		if c.off >= at {
			return c
		}
	}
	return copies[len(copies)-1]
}

// step is an asset whose needs are being followed.
type step struct {
	asset int32
	next  int // of its needs
}

// behindNeeds calls do for all that an asset needs and was not visited before,
// each after what it needs itself, the asset last. It keeps its own stack: a
// chain may be as long as the archive.
func (l *layout) behindNeeds(from int32, alone bool, do func(*placedAsset)) {
	l.assets[from].visit = l.visit
	steps := []step{{asset: from}}
	for len(steps) > 0 {
		s := &steps[len(steps)-1]
		a := &l.assets[s.asset]
		if !a.isAlone && !alone && s.next < len(a.needs) {
			to := a.needs[s.next]
			s.next++
			if l.assets[to].visit != l.visit {
				l.assets[to].visit = l.visit
				steps = append(steps, step{asset: to})
			}
			continue
		}
		do(a)
		steps = steps[:len(steps)-1]
	}
}
