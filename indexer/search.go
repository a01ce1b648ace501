package indexer

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"pakdb/codecs"
	"pakdb/internal/process"
	"pakdb/schema"
)

// Contents whose structure is not known are searched for ids once all ids of
// the build are known, that is, after the scan, unless they were known before;
// see ahead. Ids of other builds are looked
// for too: a reference to something that this build lacks is worth knowing.

// specText renders a search for the catalog; parseSpec reads it back.
func specText(s *codecs.Scan) string {
	order := "le"
	if s.Layout.Big {
		order = "be"
	}
	names := make([]string, len(s.Spaces))
	for i, space := range s.Spaces {
		names[i] = string(space)
	}
	return fmt.Sprintf("%d %s %d %d %t %s", s.Layout.Width, order, s.Layout.Align, s.Flags, s.SkipCommon, strings.Join(names, ","))
}

func parseSpec(text string) (s codecs.Scan, err error) {
	var order, spaces string
	if _, err := fmt.Sscanf(text, "%d %s %d %d %t %s", &s.Layout.Width, &order, &s.Layout.Align, &s.Flags, &s.SkipCommon, &spaces); err != nil {
		return s, fmt.Errorf("search %q: %w", text, err)
	}
	s.Layout.Big = order == "be"
	for name := range strings.SplitSeq(spaces, ",") {
		s.Spaces = append(s.Spaces, codecs.Space(name))
	}
	return s, nil
}

// searcher searches contents when the scan is over.
type searcher struct {
	open   *opener
	reused bool // every file was known
}

// search is one way to search, ready to run.
type search struct {
	codecs.Scan
	ids   *codecs.IDSet
	space map[uint64]codecs.Space // of each id; the first space of the spec wins
	known int64                   // hash of the ids
}

// all searches the contents of the build that ask for it and were not
// searched for the same ids before.
func (s *searcher) all(ctx context.Context) error {
	targets, err := s.open.build.Targets(ctx)
	if err != nil || len(targets) == 0 || s.searched(targets) {
		return err
	}
	searches := map[string]*search{}
	for _, t := range targets {
		if searches[t.Spec] != nil {
			continue
		}
		spec, err := parseSpec(t.Spec)
		if err != nil {
			return err
		}
		searches[t.Spec], err = newSearch(spec, func(space codecs.Space) ([]int64, error) {
			return s.open.build.SpaceIDs(ctx, string(space))
		})
		if err != nil {
			return err
		}
	}
	targets = slices.DeleteFunc(targets, func(t schema.Target) bool { return t.Known == searches[t.Spec].known })
	for targets := range byFile(targets) {
		if err := s.searchFile(ctx, targets, searches); err != nil {
			return err
		}
	}
	return nil
}

// searched reports that nothing can be new: every file was known, and all of
// its contents were searched.
func (s *searcher) searched(targets []schema.Target) bool {
	return s.reused &&
		!slices.ContainsFunc(targets, func(t schema.Target) bool { return t.Known == 0 })
}

// newSearch takes the ids of each space in ascending order.
func newSearch(spec codecs.Scan, ids func(codecs.Space) ([]int64, error)) (*search, error) {
	out := &search{Scan: spec, space: map[uint64]codecs.Space{}}
	h := fnv.New64a()
	for _, space := range spec.Spaces {
		all, err := ids(space)
		if err != nil {
			return nil, err
		}
		for _, id := range all {
			if spec.SkipCommon && codecs.CommonValue(spec.Layout.Width, uint64(id)) {
				continue
			}
			if _, taken := out.space[uint64(id)]; !taken {
				out.space[uint64(id)] = space
			}
			_, _ = fmt.Fprintf(h, "%x %s\n", id, space)
		}
	}
	out.ids = codecs.NewIDSet(spec.Layout, maps.Keys(out.space))
	out.known = int64(h.Sum64() | 1) // never 0
	return out, nil
}

// searchBatch bounds how many contents are searched before their references go
// to the catalog.
const searchBatch = 4096

// searchFile searches contents that lie in one archive.
func (s *searcher) searchFile(ctx context.Context, targets []schema.Target, searches map[string]*search) error {
	o := s.open.reopen(ctx, targets[0].Location)
	defer o.close()
	if o.err != nil {
		return o.err // it was readable a moment ago
	}
	var batch []schema.Scanned
	for chunk := range slices.Chunk(targets, searchBatch) {
		found, err := s.searchEntries(ctx, o, chunk, searches)
		if err != nil {
			return err
		}
		batch = found
		if err := s.open.build.AddScanned(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}

func (s *searcher) searchEntries(ctx context.Context, o *opened, targets []schema.Target, searches map[string]*search) ([]schema.Scanned, error) {
	found := make([]schema.Scanned, len(targets))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(s.open.options.Workers)
	for i, e := range entriesOf(o.archive, targets) {
		g.Go(process.RescueFunc(func() error {
			t := targets[i]
			how := searches[t.Spec]
			found[i] = schema.Scanned{Content: t.Content, Known: how.known}
			refs, err := s.searchEntry(ctx, o, e, how) // a panic of a format is an error there
			_ = s.open.failures.note(err)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil { // else it is a problem already
				found[i].Refs = refs
			}
			return nil
		}))
	}
	err := g.Wait()
	return slices.DeleteFunc(found, func(s schema.Scanned) bool { return s.Content == 0 }), err
}

// entriesOf yields the entries of the targets, which are sorted by ordinal.
func entriesOf(a codecs.Archive, targets []schema.Target) iter.Seq2[int, *codecs.Entry] {
	return func(yield func(int, *codecs.Entry) bool) {
		i := 0
		for e, err := range a.Entries() {
			for i < len(targets) && e != nil && targets[i].Ordinal < int64(e.Ordinal) {
				i++
			}
			if i == len(targets) {
				return
			}
			if err != nil || int64(e.Ordinal) != targets[i].Ordinal {
				continue
			}
			if !yield(i, e) {
				return
			}
		}
	}
}

// searchPiece is how much of a content is searched at once.
const searchPiece = 64 << 10

var pieces = sync.Pool{New: func() any { return new([searchPiece]byte) }}

func (s *searcher) searchEntry(ctx context.Context, o *opened, e *codecs.Entry, how *search) (refs []schema.Ref, err error) {
	defer guard(&err, o.src.Name)
	r, err := o.archive.Open(ctx, e)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	return how.find(e, r)
}

// find searches the content of an entry. An entry's own id is no reference.
func (how *search) find(e *codecs.Entry, r io.Reader) (refs []schema.Ref, err error) {
	seen := map[uint64]bool{}
	own := e.ID
	err = inPieces(r, how.Layout, func(piece []byte) {
		how.ids.Scan(piece, func(_ int, id uint64) {
			if seen[id] || (!own.IsZero() && own.Lo == id) {
				return
			}
			seen[id] = true
			refs = append(refs, schema.Ref{Kind: "scanned", Space: string(how.space[id]), Key: int64(id), Flags: int64(how.Flags)})
		})
	})
	return refs, err
}

// inPieces reads r in pieces that overlap by less than an id, so that none is
// missed, and start where ids may.
func inPieces(r io.Reader, layout codecs.IDLayout, do func([]byte)) error {
	align := max(layout.Align, 1)
	piece := pieces.Get().(*[searchPiece]byte)
	defer pieces.Put(piece)
	buf, kept := piece[:], 0
	for {
		n, err := io.ReadFull(r, buf[kept:])
		n += kept
		do(buf[:n])
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil {
			return err
		}
		from := n - layout.Width + 1
		from -= from % align
		kept = copy(buf, buf[from:n])
	}
}

// byFile yields targets of one file at a time; they are sorted by it.
func byFile(targets []schema.Target) iter.Seq[[]schema.Target] {
	return func(yield func([]schema.Target) bool) {
		for len(targets) > 0 {
			n := 1
			for n < len(targets) && targets[n].Location == targets[0].Location {
				n++
			}
			if !yield(targets[:n]) {
				return
			}
			targets = targets[n:]
		}
	}
}
