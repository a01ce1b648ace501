package web

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"pakdb/diff"
	"pakdb/internal/asset"
	"pakdb/query/show"
	"pakdb/schema"
	"pakdb/web/internal/explore"
)

// folders lists folders, and draws maps of them.
type folders struct {
	db       *sql.DB
	catalog  *explore.Catalog
	listings *explore.Recent[listKey, *explore.Listing]
}

// listKey is the files of a folder in an order.
type listKey struct {
	build    int64
	path     string
	order    explore.Order
	backward bool
}

// mostListed bounds the bytes of all listings that are kept, fileSize is about how many a file takes.
const (
	mostListed = 12 << 20
	fileSize   = 120
)

func newFolders(db *sql.DB, c *explore.Catalog) *folders {
	return &folders{db: db, catalog: c, listings: explore.NewRecent[listKey, *explore.Listing](mostListed)}
}

// folderAnswer is a folder as the page gets it: a list, folders first, of which these are the
// rows from At on.
type folderAnswer struct {
	table
	Build   string `json:"build"`
	Path    string `json:"path"`
	Files   int64  `json:"files"` // below it
	Size    int64  `json:"size"`
	Stored  int64  `json:"stored"`
	Total   int    `json:"total"` // rows
	At      int    `json:"at"`
	Unnamed int64  `json:"unnamed"` // entries of the build without a path, in the root
}

func (x *folders) answer(w http.ResponseWriter, r *http.Request, a *address) error {
	began := time.Now()
	tree, err := x.catalog.Tree(r.Context(), a.build)
	if err != nil {
		return err
	}
	a.path = strings.Trim(a.path, "/")
	folder, err := tree.Folder(a.path)
	if err != nil {
		return err
	}
	if a.page == pageTreemap {
		return x.treemap(w, r, a, tree, folder)
	}
	order, backward := explore.Order(strings.TrimPrefix(a.query.Get("sort"), "-")), strings.HasPrefix(a.query.Get("sort"), "-")
	if order = cmp.Or(order, explore.ByName); !slices.Contains(explore.Orders(), order) {
		return refuse(http.StatusBadRequest, "", "sort is one of %v", explore.Orders())
	}
	limit, err := a.number("limit", 200, 0, 1000)
	if err != nil {
		return err
	}
	at, err := x.from(a, tree.Build.ID)
	if err != nil {
		return err
	}
	list, err := x.list(r.Context(), tree, listKey{tree.Build.ID, a.path, order, backward})
	if err != nil {
		return err
	}
	answer := &folderAnswer{Build: a.build, Path: a.path, Files: folder.Files, Size: folder.Size, Stored: folder.Stored,
		Total: len(folder.Folders) + len(list.Files), At: at}
	if a.path == "" {
		answer.Unnamed = tree.Unnamed
	}
	answer.Columns = []string{"kind", "name", "files", "size", "stored", "type", "archive", "ordinal", "encrypted", "class"}
	if answer.Rows, err = x.rows(r.Context(), tree, explore.SortFolders(folder.Folders, order, backward), list, at, int(limit)); err != nil {
		return err
	}
	if end := at + len(answer.Rows); end < answer.Total && len(answer.Rows) > 0 {
		answer.Next, answer.Truncated = cursor(tree.Build.ID, end), true
	}
	answer.Elapsed = milliseconds(began)
	writeJSON(w, answer)
	return nil
}

// cursor names a row of a list that does not change: builds have another id when they are
// scanned again.
func cursor(build int64, at int) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d.%d", build, at))
}

// from returns the row that a request begins with.
func (x *folders) from(a *address, build int64) (int, error) {
	after := a.query.Get("after")
	if after == "" {
		at, err := a.number("at", 0, 0, 1<<40)
		return int(at), err
	}
	text, err := base64.RawURLEncoding.DecodeString(after)
	var of int64
	var at int
	if n, scanErr := fmt.Sscanf(string(text), "%d.%d", &of, &at); err != nil || scanErr != nil || n != 2 || at < 0 {
		return 0, refuse(http.StatusBadRequest, "", "after is what another answer has as next")
	}
	if of != build {
		return 0, refuse(http.StatusConflict, "begin again without after", "the build was scanned again since")
	}
	return at, nil
}

// list returns the files of a folder in an order.
func (x *folders) list(ctx context.Context, t *explore.Tree, key listKey) (*explore.Listing, error) {
	return x.listings.Get(ctx, key, func(ctx context.Context) (*explore.Listing, int, error) {
		list, err := t.List(ctx, key.path)
		if err != nil {
			return nil, 0, err
		}
		list.Files = joinAssets(list.Files)
		return list.SortedBy(key.order, key.backward, t.Words), fileSize * (len(list.Files) + 1), nil
	})
}

// joinAssets returns files, those of one asset as one: the file with its tables.
func joinAssets(files []explore.File) []explore.File {
	headers := map[string]int{} // by asset
	for i := range files {
		if _, _, part := asset.Split(files[i].Name); part == asset.Header {
			headers[asset.Of(files[i].Name)] = i
		}
	}
	all := files[:0:0]
	var rest []*explore.File
	at := map[int]int{} // of headers among all
	for i := range files {
		_, _, part := asset.Split(files[i].Name)
		if _, found := headers[asset.Of(files[i].Name)]; found && (part == asset.Body || part == asset.Bulk) {
			rest = append(rest, &files[i])
			continue
		}
		at[i] = len(all)
		all = append(all, files[i])
	}
	for _, f := range rest {
		whole := &all[at[headers[asset.Of(f.Name)]]]
		whole.Size, whole.Stored, whole.Files = whole.Size+f.Size, whole.Stored+f.Stored, whole.Files+1
	}
	return all
}

// rows returns those from at on, folders first.
func (x *folders) rows(ctx context.Context, t *explore.Tree, folders []*explore.Folder, l *explore.Listing, at, limit int) ([][]any, error) {
	rows := [][]any{}
	for i := at; i < len(folders) && len(rows) < limit; i++ {
		f := folders[i]
		rows = append(rows, []any{"folder", f.Name, f.Files, f.Size, f.Stored, t.Type(f), t.Archive(f), nil, false, ""})
	}
	first := min(max(at-len(folders), 0), len(l.Files))
	files := l.Files[first:min(first+limit-len(rows), len(l.Files))]
	ordinals, err := t.Ordinals(ctx, files)
	if err != nil {
		return nil, err
	}
	placed := make([]show.Placed, len(files))
	for i := range files {
		placed[i] = show.Placed{Build: t.Build.Label, File: &diff.File{ContentID: files[i].Content}}
	}
	classes, err := show.ClassesOf(ctx, x.db, placed)
	if err != nil {
		return nil, schema.Classify(err)
	}
	for i := range files {
		f := &files[i]
		rows = append(rows, []any{"file", f.Name, f.Files, f.Size, f.Stored, t.Words[f.Type], t.ArchiveName(f.Archive), ordinals[i], f.Encrypted, classes[i]})
	}
	return rows, nil
}

// cell is a rectangle of a map, and those in it.
type cell struct {
	Name    string  `json:"n"`
	Value   int64   `json:"v"`
	Files   int64   `json:"f"`
	Type    string  `json:"t,omitempty"` // the class of a package, or the extension of another file; of a folder that of its largest file
	Archive string  `json:"a,omitempty"`
	Folder  bool    `json:"d,omitempty"` // it can be gone into
	Rest    int64   `json:"r,omitempty"` // how many small ones it contains
	Cells   []*cell `json:"c,omitempty"`

	content int64           // of a file
	of      *explore.Folder // whose largest file has the class
}

const (
	deepestMap = 6
	smallestOf = 4000 // items below this share of all are drawn together
	mostMapped = 2000 // a map of at most so many files has a cell of each; of others folders end it
	mostAsked  = 300  // folders of a map of which the class is looked up
)

// treemap answers with the cells of a map: what is too small to be seen is together.
func (x *folders) treemap(w http.ResponseWriter, r *http.Request, a *address, t *explore.Tree, f *explore.Folder) error {
	measure := map[string]func(size, stored, files int64) int64{
		"size": func(n, _, _ int64) int64 { return n }, "stored": func(_, n, _ int64) int64 { return n }, "files": func(_, _, n int64) int64 { return n },
	}[cmp.Or(a.query.Get("by"), "stored")]
	if measure == nil {
		return refuse(http.StatusBadRequest, "", "by is one of size, stored, files")
	}
	m := &mapper{folders: x, tree: t, measure: measure, whole: f.Files <= mostMapped}
	m.least = measure(f.Size, f.Stored, f.Files) / smallestOf
	root, err := m.folder(r.Context(), f, a.path, 0)
	if err != nil {
		return err
	}
	if err := m.classify(r.Context(), root); err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	writeJSON(w, map[string]any{"build": a.build, "path": a.path, "root": root})
	return nil
}

// mapper makes cells of folders.
type mapper struct {
	*folders
	tree    *explore.Tree
	measure func(size, stored, files int64) int64
	least   int64
	whole   bool // each file has a cell
}

func (m *mapper) folder(ctx context.Context, f *explore.Folder, path string, depth int) (*cell, error) {
	c := &cell{Name: f.Name, Value: m.measure(f.Size, f.Stored, f.Files), Files: f.Files, Type: m.tree.Type(f), Archive: m.tree.Archive(f), Folder: true, of: f}
	if depth >= deepestMap && !m.whole || depth > 0 && c.Value <= m.least {
		return c, nil
	}
	for _, below := range f.Folders {
		inside, err := m.folder(ctx, below, strings.TrimPrefix(path+"/"+below.Name, "/"), depth+1)
		if err != nil {
			return nil, err
		}
		c.Cells = append(c.Cells, inside)
	}
	c.Cells = together(c.Cells, m.least, len(c.Cells))
	files, size, stored := f.Own()
	switch {
	case files == 0:
	case depth == 0 || m.whole:
		own, err := m.files(ctx, path)
		if err != nil {
			return nil, err
		}
		c.Cells = append(c.Cells, together(own, m.least, 1000)...)
	case len(c.Cells) > 0: // its own files, beside its folders
		c.Cells = append(c.Cells, &cell{Value: m.measure(size, stored, files), Files: files, Type: c.Type, Archive: c.Archive, Rest: files, of: f})
	}
	c.sort()
	return c, nil
}

// files returns the cells of the files directly in a folder.
func (m *mapper) files(ctx context.Context, path string) (own []*cell, err error) {
	list, err := m.list(ctx, m.tree, listKey{m.tree.Build.ID, path, explore.ByName, false})
	if err != nil {
		return nil, err
	}
	for i := range list.Files {
		f := &list.Files[i]
		own = append(own, &cell{content: f.Content, Name: f.Name, Value: m.measure(f.Size, f.Stored, int64(f.Files)), Files: int64(f.Files), Type: m.tree.Words[f.Type], Archive: m.tree.ArchiveName(f.Archive)})
	}
	return own, nil
}

// classify puts classes in place of types, of the cells in which there are no others.
func (m *mapper) classify(ctx context.Context, root *cell) error {
	var leaves []*cell
	var collect func(c *cell)
	collect = func(c *cell) {
		if _, _, part := asset.Split("x." + c.Type); len(c.Cells) == 0 && part != asset.None {
			leaves = append(leaves, c)
		}
		for _, inside := range c.Cells {
			collect(inside)
		}
	}
	collect(root)
	slices.SortStableFunc(leaves, func(a, b *cell) int { return cmp.Compare(b.Value, a.Value) })
	placed, asked := make([]show.Placed, len(leaves)), 0
	for i, c := range leaves {
		placed[i] = show.Placed{Build: m.tree.Build.Label, File: &diff.File{ContentID: c.content}}
		if c.of == nil || asked == mostAsked {
			continue
		}
		asked++
		var err error
		if placed[i].Path, placed[i].ContentID, err = m.tree.Largest(ctx, c.of); err != nil {
			return err
		}
	}
	classes, err := show.ClassesOf(ctx, m.db, placed)
	if err != nil {
		return schema.Classify(err)
	}
	for i, c := range leaves {
		c.Type = cmp.Or(classes[i], c.Type)
	}
	return nil
}

// together returns the largest cells, at most a given number, and one in place of all that are
// too small to be seen. It has the colour of the largest of them.
func together(cells []*cell, least int64, most int) []*cell {
	all := &cell{Cells: cells}
	all.sort()
	rest := &cell{}
	shown := slices.DeleteFunc(cells, func(c *cell) bool {
		if most--; most >= 0 && c.Value > least {
			return false
		}
		if rest.Rest == 0 {
			rest.Type, rest.Archive, rest.content, rest.of = c.Type, c.Archive, c.content, c.of
		}
		rest.Value, rest.Files, rest.Rest = rest.Value+c.Value, rest.Files+c.Files, rest.Rest+1
		return true
	})
	if rest.Value > 0 {
		shown = append(shown, rest)
	}
	return shown
}

func (c *cell) sort() {
	slices.SortStableFunc(c.Cells, func(a, b *cell) int { return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Name, b.Name)) })
}
