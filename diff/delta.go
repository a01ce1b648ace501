package diff

import (
	"context"
	"maps"
	"slices"

	"pakdb/internal/sketch"
)

// What the estimate of a transport patch counts with: bytes, and shares of what a
// content takes compressed. They are fitted to the patches of docs/benchmarks.md.
const (
	costPatch = 50 // the header, and the ends of an index
	costFile  = 4  // a file in the header, old or new
	costRun   = 2  // a run of old bytes that begins elsewhere than the one before ends
	costEntry = 14 // an entry in an index that is new or differs
	costCoded = 20 // an entry that is stored in another way
	costNoise = 60 // GUIDs and hashes of an asset that was cooked again

	shareEdited = 0.23 // of the part of a content that is new by its sketch
	shareAdded  = 0.95 // of a content that resembles no old one
	shareSmall  = 0.6  // of a content without a sketch: small ones are often like others

	bareDensity = 0.25 // what compression leaves of bytes of which nothing is known
	fastDensity = 0.75 // and of what a fast method has compressed
)

// blockSize is how many decoded bytes archives compress by themselves, most often.
const blockSize = 64 << 10

// denseExtensions are of files that no compression makes smaller.
var denseExtensions = []string{"ogg", "mp3", "wem", "bnk", "bank", "fsb", "usm", "bik", "bk2", "mp4", "webm", "png", "jpg", "jpeg", "webp",
	"ktx2", "zip", "gz", "7z", "uz2"}

// density is how small an item's stored bytes are when they are compressed. What
// an archive that compresses leaves bare gains nothing.
func (s *shipment) density(it *item) float64 {
	switch {
	case s.fast[it.method]:
		return fastDensity
	case s.new.files[it.file].packed || s.dense[it.ext]:
		return 1
	}
	return bareDensity
}

// edit is what a content of the new build was made from.
type edit struct {
	old   int32   // of old.items
	share float64 // that is new
	noise bool    // it differs in cook noise alone
}

// replaces is how many stored bytes of an item are new: whole blocks.
func (e *edit) replaces(it *item) int64 {
	n := int64(e.share * float64(it.length))
	if it.size > 0 {
		n += int64(float64(blockSize) * min(1, float64(it.length)/float64(it.size)))
	}
	return min(it.length, n)
}

// Between these sizes a content that has nothing in common with what it was made
// from is less and less likely to be that with edits all over, and more and more
// to be another one in its place.
const (
	likelyEdited   = 128 << 10
	likelyReplaced = 1 << 20
)

// newShare is how much of the part of a content that is new has to travel.
func (e *edit) newShare(it *item) float64 {
	if e.share < 1 {
		return shareEdited
	}
	replaced := min(1, max(0, float64(it.size-likelyEdited)/(likelyReplaced-likelyEdited)))
	return shareEdited + replaced*(shareAdded-shareEdited)
}

// edits finds, for contents of the new build that the old one does not have,
// what they were made from: the other side of the change, or what else has the
// path, or another content that is like it.
func (s *shipment) edits(ctx context.Context, changed []replaced) (map[int64]edit, error) {
	all := map[int64]edit{}
	for _, c := range changed {
		if at, ok := s.contents[c.old]; ok {
			all[c.new] = edit{at, 1, c.cosmetic}
		}
	}
	lone := map[int64]bool{}
	var wanted []int64
	for i := range s.new.items {
		it := &s.new.items[i]
		if _, known := s.contents[it.content]; known || it.content == 0 {
			continue
		}
		if _, ok := all[it.content]; !ok {
			if at, ok := s.paths[it.path]; ok {
				all[it.content] = edit{at, 1, false}
			} else {
				lone[it.content] = true
			}
		}
		wanted = append(wanted, it.content)
	}
	for _, e := range all {
		wanted = append(wanted, s.old.items[e.old].content)
	}
	known, err := s.catalog.Sketches(ctx, wanted)
	if err != nil {
		return nil, err
	}
	if err := s.likeOthers(ctx, all, lone, known); err != nil {
		return nil, err
	}
	s.share(all, known)
	return all, nil
}

// share sets how much of each content is new.
func (s *shipment) share(all map[int64]edit, known map[int64]sketch.Sketch) {
	for i := range s.new.items {
		it := &s.new.items[i]
		e, ok := all[it.content]
		if !ok {
			continue
		}
		old := &s.old.items[e.old]
		if x, y := known[old.content], known[it.content]; x != nil && y != nil {
			e.share = 1 - sketch.Kept(x, y, old.size, it.size)
			all[it.content] = e
		}
	}
}

// likeOthers finds what contents without a counterpart were made from: the old
// content that their sketch has most in common with.
func (s *shipment) likeOthers(ctx context.Context, all map[int64]edit, lone map[int64]bool, known map[int64]sketch.Sketch) error {
	holders := map[uint32][]int64{}
	for id := range lone {
		for _, h := range known[id] {
			holders[h] = append(holders[h], id)
		}
	}
	if len(holders) == 0 {
		return nil
	}
	best := map[int64]float64{}
	return s.catalog.EachSketch(ctx, slices.Collect(maps.Keys(s.contents)), func(id int64, old sketch.Sketch) {
		for _, h := range old {
			for _, new := range holders[h] {
				if c := sketch.Common(old, known[new]); c > best[new] {
					best[new], all[new] = c, edit{s.contents[id], 1, false}
					known[id] = old
				}
			}
		}
	})
}

// delta estimates the transport patch.
func (s *shipment) delta(changed map[int64]edit) Way {
	d := Way{Name: WayDelta}
	sum, counted := float64(costPatch), map[int64]bool{}
	made := 0.0
	for _, files := range [][]shipped{s.old.files, s.new.files} {
		for _, f := range files {
			sum += costFile * float64(1+f.DataFiles)
		}
	}
	for i := range s.new.files {
		f := &s.new.files[i]
		if f.kept {
			continue
		}
		sum += costRun * float64(len(s.runs(f, nil)))
		for k := f.from; k < f.to; k++ {
			it := &s.new.items[k]
			if it.content == 0 || !counted[it.content] {
				sum += s.cost(it, changed)
			}
			made += s.made(it, changed)
			counted[it.content] = true
		}
	}
	d.Bytes, d.Made = int64(sum), int64(made)
	return d
}

// made is how many stored bytes of an item are compressed again when the patch is applied.
func (s *shipment) made(it *item, changed map[int64]edit) float64 {
	e, edited := changed[it.content]
	switch {
	case it.content == 0 || it.method == s.none || !s.coded[it.method] || it.encrypted || s.storedFirst(it) >= 0:
		return 0
	case edited && it.size > 0:
		pieces := 1 + e.share*float64(it.size)/sketch.Chunk // that are new; each may lie in a block of its own
		return float64(it.length) * min(1, pieces*blockSize/float64(it.size))
	}
	return float64(it.length)
}

// cost is what an item takes in the transport patch, beside copying.
func (s *shipment) cost(it *item, changed map[int64]edit) float64 {
	stored := float64(it.length) * s.density(it)
	e, edited := changed[it.content]
	_, known := s.contents[it.content]
	same := s.storedFirst(it) >= 0
	literal := !s.coded[it.method] || it.encrypted
	switch {
	case it.content == 0:
		return costEntry + stored
	case same:
		return 0
	case known && literal:
		return costEntry + stored
	case known && s.new.files[it.file].unplaced: // its file is compared as bytes
		return costEntry + shareEdited*stored
	case known:
		return costCoded
	case edited && literal:
		return costEntry + float64(e.replaces(it))*s.density(it)
	case e.noise:
		return min(costNoise, stored)
	case edited:
		return costEntry + e.newShare(it)*e.share*stored
	case it.length < sketch.MinSize:
		return costEntry + shareSmall*stored
	}
	return costEntry + shareAdded*stored
}
