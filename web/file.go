package web

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"pakdb/codecs"
	"pakdb/codecs/unreal/media"
	"pakdb/diff"
	"pakdb/diff/semantic"
	"pakdb/internal/asset"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
	"pakdb/web/internal/explore"
)

// files answers with all of one file: facts, history, references, and what is in it.
type files struct {
	catalog  *explore.Catalog
	db       *sql.DB
	contents *query.Contents // nil: nothing of contents is shown
	registry *codecs.Registry
	most     int64 // bytes of a content
}

// file is the one that an address names.
type file struct {
	*files
	build *explore.Build
	entry *explore.Entry
}

// parts are the data of a file beside its facts.
func parts() map[string]func(*file, http.ResponseWriter, *http.Request, *address) error {
	return map[string]func(*file, http.ResponseWriter, *http.Request, *address) error{
		"history": (*file).tellHistory, "refs": (*file).refs, "tables": (*file).tables, "curves": (*file).curves, "strings": (*file).strings, "blame": (*file).blame, "value": (*file).value, "meaning": (*file).meaning, "code": (*file).code,
		"text": (*file).text, "hex": (*file).hex, "picture": (*file).picture, "sound": (*file).sound, "download": (*file).download,
	}
}

// dataParts are the parts that are data also without ".json" after them: pictures and the
// like.
func dataParts() []string { return []string{"picture", "sound", "download"} }

func (x *files) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	b, err := x.catalog.Build(r.Context(), a.build)
	if err != nil {
		return err
	}
	if a.page == pagePath {
		return x.places(w, r, b, a)
	}
	e, err := x.catalog.Entry(r.Context(), b, explore.Place{Archive: a.archive, Ordinal: a.ordinal})
	if err != nil {
		return err
	}
	f := &file{x, b, e}
	if a.part == "" {
		return f.tell(w, r)
	}
	part := parts()[a.part]
	if part == nil {
		return refuse(http.StatusNotFound, "docs/serve.md lists all addresses", "a file has no part %q", a.part)
	}
	return part(f, w, r, a)
}

// tell writes the facts of the file, and of the asset that it is a part of: its class, what is
// in it in a few words, and its files, the one with its tables first.
func (f *file) tell(w http.ResponseWriter, r *http.Request) error {
	holds, err := f.catalog.Holds(r.Context(), f.build, f.entry)
	if err != nil {
		return err
	}
	facts, err := f.catalog.Facts(r.Context(), f.build, f.entry)
	if err != nil {
		return err
	}
	class, err := show.ClassesOf(r.Context(), f.db, []show.Placed{{Build: f.build.Label, File: &diff.File{Path: f.path(), ContentID: f.entry.ContentID}}})
	if err != nil {
		return schema.Classify(err)
	}
	parts, err := f.assetFiles(r.Context())
	return reply(w, map[string]any{"entry": f.entry, "shows": f.shows(r.Context(), &holds), "textures": holds.Textures, "sounds": holds.Sounds,
		"class": class[0], "facts": facts, "files": parts}, err)
}

// assetFiles returns the files of the asset that the file is a part of, none of another file.
func (f *file) assetFiles(ctx context.Context) ([]*explore.Entry, error) {
	all := []*explore.Entry{}
	path := cmp.Or(f.entry.GamePath, f.path())
	names := asset.Files(path)
	if len(names) == 1 || f.entry.GamePath == "" {
		return all, nil
	}
	for _, name := range names {
		places, err := f.catalog.Places(ctx, f.build, name)
		if err != nil {
			return nil, err
		}
		if len(places) == 0 {
			continue
		}
		e, err := f.catalog.Entry(ctx, f.build, places[0])
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// places answers with where a path is: its address is that of the first.
func (x *files) places(w http.ResponseWriter, r *http.Request, b *explore.Build, a *address) error {
	found, err := x.catalog.Places(r.Context(), b, a.path)
	if err != nil {
		return err
	}
	if len(found) == 0 {
		return fmt.Errorf("%w: %s", explore.ErrNoEntry, a.path)
	}
	writeJSON(w, map[string]any{"places": found})
	return nil
}

// path is what the file is called by in the catalog.
func (f *file) path() string { return f.entry.Path }

// tellHistory answers with the builds in which the file changed, or another file of its asset did.
func (f *file) tellHistory(w http.ResponseWriter, r *http.Request, _ *address) error {
	began := time.Now()
	columns := []string{"kind", "path", "old_path", "archive", "old_size", "new_size", "old_stored", "new_stored", "renamed_by", "also", "old_content", "new_content"}
	t := table{Columns: append([]string{"build"}, columns...), Rows: [][]any{}}
	var events []diff.Event
	if f.path() != "" {
		var err error
		if events, err = diff.History(r.Context(), f.db, f.path()); err != nil && !errors.Is(err, diff.ErrNoFile) {
			return err
		}
	}
	for i := range events {
		row := []any{events[i].Build}
		for _, v := range events[i].RowOf(columns...) {
			row = append(row, value(v))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Elapsed = milliseconds(began)
	writeJSON(w, t)
	return nil
}

// mostRefs bounds each list of references.
const mostRefs = 500

// refs answers with what the file refers to, and what refers to it.
func (f *file) refs(w http.ResponseWriter, r *http.Request, _ *address) error {
	began := time.Now()
	g, err := show.OpenGraph(r.Context(), f.db, f.build.Label)
	if err != nil {
		return err
	}
	var start []show.Node // none or one
	if f.path() != "" {
		start, err = g.Resolve(r.Context(), f.path())
	}
	switch {
	case errors.Is(err, show.ErrNoNode) || len(start) > 1:
		start = nil
	case err != nil:
		return err
	case len(start) == 1:
		if start[0], err = g.Whole(r.Context(), start[0]); err != nil {
			return err
		}
	}
	answer := map[string]any{}
	for name, reverse := range map[string]bool{"refers_to": false, "referred_by": true} {
		all, more := []map[string]any{}, false
		for _, n := range start {
			err := g.Walk(r.Context(), n, show.GraphOptions{Reverse: reverse}, func(e show.Edge) error {
				if more = len(all) >= mostRefs; more {
					return errFull
				}
				far := e.To
				if reverse {
					far = e.From
				}
				all = append(all, map[string]any{"name": far.Name(), "path": far.Path, "kind": e.Kind, "status": e.Status, "weak": e.Weak})
				return nil
			})
			if err != nil && !errors.Is(err, errFull) {
				return err
			}
		}
		answer[name], answer[name+"_more"] = all, more
	}
	answer["ms"] = milliseconds(began)
	writeJSON(w, answer)
	return nil
}

// digest is the hash of the content; the error is of class [query.ErrNoContent] where there
// is none, or nothing of contents is shown.
func (f *file) digest() (d [32]byte, err error) {
	if f.contents == nil {
		return d, refuse(http.StatusForbidden, "pakdb serve --read DIR lets it", "this server does not read archives")
	}
	if n, err := hex.Decode(d[:], []byte(f.entry.Content)); err != nil || n != len(d) {
		return d, fmt.Errorf("%w: it was listed, and not read", query.ErrNoContent)
	}
	return d, nil
}

// bytes returns the whole content, if it is not too large to be shown.
func (f *file) bytes(ctx context.Context) ([]byte, error) {
	d, err := f.digest()
	if err != nil {
		return nil, err
	}
	return f.contents.Bytes(ctx, d, f.most)
}

// inBuild returns the files of the build, for what the file means.
func (f *file) inBuild(ctx context.Context) (*show.Build, error) {
	if _, err := f.digest(); err != nil {
		return nil, err
	}
	return show.InBuild(ctx, f.db, f.build.Label, f.contents, f.registry)
}

// shows lists what can be asked for of the content, the best to begin with first.
func (f *file) shows(ctx context.Context, h *explore.Holds) []string {
	all := []string{}
	if f.entry.Deleted || f.entry.Content == "" {
		return all
	}
	isKnown := f.entry.Kind != "" && f.entry.Kind[0] != '?'
	if h.Textures > 0 || media.IsPicture(f.entry.Path, f.entry.Type) {
		all = append(all, "picture")
	}
	if h.Tables > 0 {
		all = append(all, "tables")
	}
	if h.Curves > 0 {
		all = append(all, "curves")
	}
	if h.Texts > 0 {
		all = append(all, "strings")
	}
	if h.Sounds > 0 || isSound(f.entry) {
		all = append(all, "sound")
	}
	if isText(f.entry) {
		all = append(all, "text")
	}
	if h.Values || isText(f.entry) {
		all = append(all, "blame")
	}
	if isKnown && !isText(f.entry) && !slices.Contains([]string{"unreal-asset-registry", "unreal-locres"}, f.entry.Kind) { // these have no more
		all = append(all, "meaning")
	}
	if h.Functions > 0 {
		all = append(all, "code")
	}
	if !isKnown && !isText(f.entry) && asset.Of(f.path()) == "" && f.isPlain(ctx) {
		all = append(all, "text")
	}
	all = append(all, "hex")
	if all = append(all, "download"); f.contents == nil { // what the catalog itself has
		all = slices.DeleteFunc(all, func(part string) bool {
			return !slices.Contains([]string{"tables", "curves", "strings", "blame"}, part)
		})
	}
	return all
}

// tables are the data tables in the file.
func (f *file) tables(w http.ResponseWriter, r *http.Request, _ *address) error {
	all, err := f.catalog.Tables(r.Context(), f.build, f.entry)
	for _, t := range all {
		for _, row := range t.Rows {
			for i := range row {
				row[i] = value(row[i])
			}
		}
	}
	return reply(w, map[string]any{"tables": all}, err)
}

// curves are the curves in the file.
func (f *file) curves(w http.ResponseWriter, r *http.Request, _ *address) error {
	all, err := f.catalog.Curves(r.Context(), f.build, f.entry)
	return reply(w, map[string]any{"curves": all}, err)
}

// strings are the texts for players in the file.
func (f *file) strings(w http.ResponseWriter, r *http.Request, _ *address) error {
	all, more, err := f.catalog.Texts(r.Context(), f.build, f.entry)
	return reply(w, map[string]any{"strings": all, "more": more}, err)
}

// mostOrigins bounds the values of a file that are shown with their origins.
const mostOrigins = 5000

// blame answers with the values of the file, or its lines: the name, the value, the build that
// gave it, and the value before, null for none.
func (f *file) blame(w http.ResponseWriter, r *http.Request, _ *address) error {
	all, err := f.origins(func(of semantic.Contents) ([]semantic.Origin, error) {
		return semantic.Blame(r.Context(), f.db, of, f.build.Label, f.path())
	})
	rows := [][]any{}
	for _, o := range all[:min(len(all), mostOrigins)] {
		rows = append(rows, []any{o.Name, o.Value, o.Build, o.Before})
	}
	return reply(w, map[string]any{"values": rows, "more": max(len(all)-mostOrigins, 0)}, err)
}

// origins returns what a call finds, nothing if the file has no path.
func (f *file) origins(call func(semantic.Contents) ([]semantic.Origin, error)) ([]semantic.Origin, error) {
	if f.path() == "" {
		return nil, nil
	}
	var contents semantic.Contents // nil for none
	if f.contents != nil {
		contents = f.contents
	}
	all, err := call(contents)
	if errors.Is(err, diff.ErrNoFile) {
		return nil, nil
	}
	return all, err
}

// value answers with what a value of that name was since which builds, the oldest first, up to
// the build.
func (f *file) value(w http.ResponseWriter, r *http.Request, a *address) error {
	all, err := f.origins(func(of semantic.Contents) ([]semantic.Origin, error) {
		return semantic.BlameOf(r.Context(), f.db, of, f.build.Label, f.path(), a.query.Get("name"))
	})
	values := [][]any{}
	for _, o := range slices.Backward(all) {
		values = append(values, []any{o.Build, o.Value})
	}
	return reply(w, map[string]any{"values": values}, err)
}
