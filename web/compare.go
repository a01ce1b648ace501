package web

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"pakdb/codecs"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/glob"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
	"pakdb/web/internal/explore"
	"pakdb/web/internal/page"
)

// comparisons compares builds.
type comparisons struct {
	catalog  *explore.Catalog
	db       *sql.DB
	contents *query.Contents
	registry *codecs.Registry
	made     *explore.Recent[string, *comparison]
	atOnce   chan struct{} // comparisons that are made
}

// comparison is what changed between two builds. It does not change but for what is read
// from its result, which one request at a time does. Changes are made from the result when a
// request asks for them: they take more memory than that.
type comparison struct {
	*diff.Result
	changes int        // that the page has
	more    int        // changes that are not among these
	body    []byte     // all of it as the page gets it
	turn    sync.Mutex // held while something reads from the result
	damaged []string
}

const (
	// mostChanges bounds the changes that a page has; the command line has all.
	mostChanges = 200_000
	// mostCompared bounds the bytes of all comparisons that are kept.
	mostCompared = 40 << 20
	// changeSize is about how many bytes a change takes, beside what the page gets of it.
	changeSize = 400
)

func newComparisons(c Config, catalog *explore.Catalog) *comparisons {
	return &comparisons{catalog: catalog, db: c.DB, contents: c.Contents, registry: c.Registry,
		made: explore.NewRecent[string, *comparison](mostCompared), atOnce: make(chan struct{}, 2)}
}

func (x *comparisons) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	old, new, err := x.builds(r.Context(), a.pair)
	if err != nil {
		return err
	}
	c, err := x.made.Get(r.Context(), fmt.Sprintf("%d %d", old.ID, new.ID), func(ctx context.Context) (*comparison, int, error) {
		return x.compare(ctx, old, new)
	})
	if err != nil {
		return err
	}
	switch a.part {
	case "":
		writeBody(w, "application/json; charset=utf-8", c.body)
		return nil
	case "changes":
		return c.list(r.Context(), w, a)
	case "inside":
		return x.inside(w, r, a, c)
	case "choice":
		return c.choice(r.Context(), w, a)
	case "classes":
		return x.classes(r.Context(), w, c)
	case "downloads":
		return x.downloads(r.Context(), w, c)
	case "impact":
		return x.impact(r.Context(), w, a, c)
	}
	return refuse(http.StatusNotFound, "docs/serve.md lists all addresses", "a comparison has no part %q", a.part)
}

// builds returns the two builds that a pair names. Labels may have dots: of the places where
// it can be cut the first counts that leaves two builds.
func (x *comparisons) builds(ctx context.Context, pair string) (old, new *explore.Build, err error) {
	all, err := x.catalog.Builds(ctx)
	if err != nil {
		return nil, nil, err
	}
	byLabel := map[string]*explore.Build{}
	for i := range all {
		byLabel[all[i].Label] = &all[i]
	}
	for i := 0; i+3 <= len(pair); i++ {
		if pair[i:i+3] != "..." {
			continue
		}
		if old, new = byLabel[pair[:i]], byLabel[pair[i+3:]]; old != nil && new != nil {
			return old, new, nil
		}
	}
	return nil, nil, fmt.Errorf("%w: %q is no pair OLD...NEW of builds", schema.ErrNoBuild, pair)
}

func (x *comparisons) compare(ctx context.Context, from, to *explore.Build) (*comparison, int, error) {
	old, new := from.Label, to.Label
	select {
	case x.atOnce <- struct{}{}:
	case <-ctx.Done():
		return nil, 0, context.Cause(ctx)
	}
	defer func() { <-x.atOnce }()
	began := time.Now()
	result, err := diff.Compare(ctx, x.db, old, new, diff.Options{Brief: true})
	if err != nil {
		return nil, 0, schema.Classify(err)
	}
	damaged, err := diff.FindDamage(ctx, x.db, x.registry, old, new)
	if err != nil {
		return nil, 0, schema.Classify(err)
	}
	roots, err := explore.Roots(ctx, x.db, from.ID, to.ID)
	if err != nil {
		return nil, 0, schema.Classify(err)
	}
	c := &comparison{Result: result, damaged: append([]string{}, codecs.DamageTexts(damaged)...)}
	data, rows := page.NewData(old, new), [][]any{}
	data.SetUnknown(result.Unknown)
	for change, err := range result.Changes(ctx) {
		if err != nil {
			return nil, 0, schema.Classify(err)
		}
		if c.changes == mostChanges {
			c.more++
			continue
		}
		c.changes++
		rows = append(rows, data.Row(&change))
	}
	answer := data.Words()
	answer["rows"], answer["more"], answer["damaged"], answer["ms"] = rows, c.more, c.damaged, milliseconds(began)
	if roots != nil {
		answer["roots"] = roots
	}
	if c.body, err = json.Marshal(answer); err != nil {
		return nil, 0, err
	}
	return c, len(c.body) + changeSize*c.changes, nil
}

// each calls f with the changes that the page has, from one on, as long as it returns true.
func (c *comparison) each(ctx context.Context, from int, f func(i int, ch *diff.Change) bool) error {
	c.turn.Lock()
	defer c.turn.Unlock()
	i := 0
	for change, err := range c.Changes(ctx) {
		switch {
		case err != nil:
			return schema.Classify(err)
		case i == c.changes || i >= from && !f(i, &change):
			return nil
		}
		i++
	}
	return nil
}

// list answers with changes for programs: those of a kind, and below a folder or of a
// pattern.
func (c *comparison) list(ctx context.Context, w http.ResponseWriter, a *address) error {
	began := time.Now()
	kinds := diff.Kind(0)
	for _, name := range a.query["kind"] {
		k, ok := diff.ParseKind(name)
		if !ok {
			return refuse(http.StatusBadRequest, "", "no kind %q; there are %v", name, diff.Kinds())
		}
		kinds |= k
	}
	limit, err := a.number("limit", 1000, 1, 10_000)
	if err != nil {
		return err
	}
	at, err := a.number("after", 0, 0, mostChanges)
	if err != nil {
		return err
	}
	under := a.query.Get("under")
	t := table{Columns: diff.RowColumns(), Rows: [][]any{}}
	err = c.each(ctx, int(at), func(i int, ch *diff.Change) bool {
		if kinds != 0 && (ch.Kind|ch.Also)&kinds == 0 || under != "" && !strings.HasPrefix(ch.Name(), strings.TrimSuffix(under, "/")+"/") {
			return true
		}
		if len(t.Rows) == int(limit) {
			t.Next, t.Truncated = fmt.Sprint(i), true
			return false
		}
		row := []any{}
		for _, v := range ch.Row() {
			row = append(row, value(v))
		}
		t.Rows = append(t.Rows, row)
		return true
	})
	if err != nil {
		return err
	}
	t.Elapsed = milliseconds(began)
	writeJSON(w, t)
	return nil
}

// classes reports what class the object of each change is, "" of what is no package.
func (x *comparisons) classes(ctx context.Context, w http.ResponseWriter, c *comparison) error {
	files := make([]show.Placed, c.changes)
	err := c.each(ctx, 0, func(i int, ch *diff.Change) bool {
		files[i] = show.NewerSide(c.OldBuild, c.NewBuild, ch)
		return true
	})
	if err != nil {
		return err
	}
	classes, err := show.ClassesOf(ctx, x.db, files)
	if err != nil {
		return schema.Classify(err)
	}
	writeJSON(w, map[string]any{"classes": classes})
	return nil
}

// mostChosen bounds the changes of a choice that are listed.
const mostChosen = 300

// choice adds up the changes that patterns choose, as "patch build --only" takes them, for
// what a patch of them would have: files of the new build, and delete records.
func (c *comparison) choice(ctx context.Context, w http.ResponseWriter, a *address) error {
	globs, err := glob.ParseList(a.query["only"], true)
	if err != nil {
		return refuse(http.StatusBadRequest, "", "%v", err)
	}
	var changes, files, deletes, size, stored, to int64
	rows, hides := [][]any{}, map[string]int64{}
	err = c.each(ctx, 0, func(_ int, ch *diff.Change) bool {
		if len(globs) > 0 && !globs.Match(ch.Name()) {
			return true
		}
		changes++
		if ch.Old != nil {
			hides[ch.Old.Archive]++
		}
		to += ch.Download
		if ch.New == nil {
			deletes++
		} else {
			files++
			size += ch.New.Size
			stored += ch.New.Stored
		}
		if len(rows) < mostChosen {
			sizes := ch.Sizes()
			rows = append(rows, []any{ch.Kind.String(), ch.Name(), sizes.NewSize, ch.Download})
		}
		return true
	})
	if err != nil {
		return err
	}
	writeJSON(w, map[string]any{"builds": []string{c.OldBuild, c.NewBuild}, "changes": changes, "files": files, "deletes": deletes, "size": size, "stored": stored, "download": to,
		"columns": []string{"kind", "path", "size", "download"}, "rows": rows, "hides": counted(hides)})
	return nil
}

// counted lists archives with how many of their entries are hidden, most first.
func counted(archives map[string]int64) [][]any {
	names := slices.SortedFunc(maps.Keys(archives), func(a, b string) int { return cmp.Or(cmp.Compare(archives[b], archives[a]), cmp.Compare(a, b)) })
	list := [][]any{}
	for _, name := range names[:min(len(names), mostChosen)] {
		list = append(list, []any{name, archives[name]})
	}
	return list
}

// inside reports what changed inside of one content, with pictures of textures.
func (x *comparisons) inside(w http.ResponseWriter, r *http.Request, a *address, c *comparison) error {
	began := time.Now()
	i, err := a.number("row", -1, 0, int64(c.changes)-1)
	if err != nil {
		return err
	}
	if i < 0 {
		return refuse(http.StatusBadRequest, "", "row is the number of a change")
	}
	with := show.NewComparer(x.db, x.contents, x.registry, c.OldBuild, c.NewBuild)
	with.Media = true
	var change diff.Change
	err = c.each(r.Context(), int(i), func(_ int, ch *diff.Change) bool {
		change = *ch
		return false
	})
	if err == nil {
		err = x.hashes(r.Context(), &change)
	}
	var difference *semantic.Difference
	if err == nil {
		difference, err = with.Inside(r.Context(), &change)
	}
	if err = errors.Join(err, with.Close()); err != nil {
		return err
	}
	answer := page.Inside(difference, with.Pictures, with.Warnings)
	if answer == nil {
		answer = map[string]any{}
	}
	answer["ms"] = milliseconds(began)
	writeJSON(w, answer)
	return nil
}

// hashes looks up the hashes of contents, which comparing leaves out.
func (x *comparisons) hashes(ctx context.Context, c *diff.Change) error {
	for _, side := range []**diff.File{&c.Old, &c.New} {
		if *side == nil || (*side).ContentID == 0 {
			continue
		}
		f := **side
		hash, err := x.catalog.Hash(ctx, f.ContentID)
		if err != nil {
			return err
		}
		f.Content = hash
		*side = &f
	}
	return nil
}

// downloads answers with what players fetch, by each way of transport.
func (x *comparisons) downloads(ctx context.Context, w http.ResponseWriter, c *comparison) error {
	began := time.Now()
	ways, err := diff.Ways(ctx, x.db, c.Result)
	if err != nil {
		return schema.Classify(err)
	}
	rows := [][]any{}
	for i := range ways {
		rows = append(rows, []any{ways[i].Name, ways[i].Bytes, ways[i].Parts, ways[i].Of, ways[i].Exact, ways[i].Text(), ways[i].Made})
	}
	writeJSON(w, table{Columns: []string{"way", "bytes", "parts", "of", "exact", "text", "made"}, Rows: rows, Elapsed: milliseconds(began)})
	return nil
}

// mostImpact bounds what depends on changes.
const mostImpact = 5000

// impact reports what depends on the changes that patterns choose, all without any.
func (x *comparisons) impact(ctx context.Context, w http.ResponseWriter, a *address, c *comparison) error {
	began := time.Now()
	depth, err := a.number("depth", 3, 1, 20)
	if err != nil {
		return err
	}
	globs, err := glob.ParseList(a.query["only"], true)
	if err != nil {
		return refuse(http.StatusBadRequest, "", "%v", err)
	}
	t := table{Columns: []string{"depth", "path", "kind", "via", "changed"}, Rows: [][]any{}}
	c.turn.Lock()
	defer c.turn.Unlock()
	keep := func(ch *diff.Change) bool { return len(a.query["only"]) == 0 || globs.Match(ch.Name()) }
	for d, err := range diff.Impact(ctx, x.db, c.Result, int(depth), keep) {
		if err != nil {
			return schema.Classify(err)
		}
		if len(t.Rows) == mostImpact {
			t.Truncated = true
			break
		}
		t.Rows = append(t.Rows, []any{d.Depth, d.Path, d.Kind, d.Via, d.Changed})
	}
	t.Elapsed = milliseconds(began)
	writeJSON(w, t)
	return nil
}
