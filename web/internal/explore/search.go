package explore

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"slices"

	"pakdb/internal/search"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
)

// Found is an answer to what a person typed.
type Found struct {
	Kind    string   `json:"kind"` // "path", "id", "content", and as query.SearchKinds
	Text    string   `json:"text"`
	Path    string   `json:"path"`
	Place   string   `json:"place,omitempty"` // in the content
	Builds  []string `json:"builds"`          // that have it, oldest first
	Archive string   `json:"archive,omitempty"`
	Ordinal int64    `json:"ordinal,omitempty"` // with Archive
	Class   string   `json:"class,omitempty"`   // of the object in it
}

// Answers are the first of what was found.
type Answers struct {
	Found   []Found
	More    bool // there is more
	NoIndex bool // the catalog has no index of texts and paths: only exact names were looked up
}

// Search finds what a person typed in a build, at most the given number of answers: paths,
// also the end of one; ids and GUIDs; hashes of contents; words of paths and texts.
func (c *Catalog) Search(ctx context.Context, b *Build, typed string, most int) (*Answers, error) {
	a := &Answers{Found: []Found{}}
	if len(search.Parse(typed).Words()) == 0 {
		return a, nil
	}
	f, err := query.OpenSearch(ctx, c.db)
	if err != nil {
		return nil, schema.Classify(err)
	}
	a.NoIndex = !f.Indexed
	if err := c.exact(ctx, b, typed, most, a); err != nil || a.NoIndex {
		return a, schema.Classify(err)
	}
	for h, err := range f.Hits(ctx, typed) {
		switch {
		case err != nil:
			return nil, schema.Classify(err)
		case !slices.Contains(h.Builds, b.Label):
			continue
		case h.Kind == "path" && slices.ContainsFunc(a.Found, func(f Found) bool { return f.Kind == "path" && f.Path == h.Path }):
			continue
		}
		if a.Add(most, Found{Kind: h.Kind, Text: h.Text, Path: h.Path, Place: h.Place, Builds: h.Builds}); a.More {
			break
		}
	}
	return a, nil
}

// exact finds names, ids and hashes.
func (c *Catalog) exact(ctx context.Context, b *Build, typed string, most int, a *Answers) error {
	if hash, err := hex.DecodeString(typed); err == nil && (len(hash) == 32 || len(hash) == schema.StatedSize) {
		return c.contents(ctx, b, hash, most, a)
	}
	_, isID := show.ParseID(typed)
	places, err := c.Places(ctx, b, typed)
	for _, at := range places {
		a.Add(most, Found{Kind: "path", Path: typed, Builds: []string{b.Label}, Archive: at.Archive, Ordinal: at.Ordinal})
	}
	if err != nil || len(places) > 0 || !isID && !a.NoIndex { // the index finds parts of paths, as Resolve does in longer time
		return err
	}
	g, err := show.OpenGraph(ctx, c.db, b.Label)
	if err != nil {
		return err
	}
	nodes, err := g.Resolve(ctx, typed)
	if err != nil && !errors.Is(err, show.ErrNoNode) {
		return err
	}
	for _, n := range nodes {
		f := Found{Kind: "path", Path: n.Path, Builds: []string{b.Label}}
		if isID {
			f.Kind, f.Text = "id", typed
		}
		if n.Path != "" {
			a.Add(most, f)
		}
	}
	return nil
}

// Add adds an answer, unless there are enough.
func (a *Answers) Add(most int, f Found) {
	if len(a.Found) >= most {
		a.More = true
		return
	}
	a.Found = append(a.Found, f)
}

// contents finds the entries of a build that have a content.
func (c *Catalog) contents(ctx context.Context, b *Build, hash []byte, most int, a *Answers) error {
	return schema.EachRow(ctx, c.db, `SELECT coalesce(d.prefix || p.name, ''), ba.name, e.ordinal, lower(hex(c.hash))
		FROM x_content_key k
		CROSS JOIN x_content c ON c.content_id = k.content_id
		CROSS JOIN x_entry_row r INDEXED BY entry_content ON r.content_id = c.content_id
		CROSS JOIN x_archive a ON a.lineage_id = r.lineage_id AND r.since <= a.edition AND (r.until = 0 OR r.until > a.edition)
		CROSS JOIN x_build_archive ba ON ba.archive_id = a.archive_id AND ba.build_id = ?1
		CROSS JOIN x_entry e ON e.archive_id = a.archive_id AND e.row = r.row
		LEFT JOIN x_path p ON p.path_id = r.path_id
		LEFT JOIN x_dir d ON d.dir_id = p.dir_id
		WHERE k.key = ?2 AND substr(c.hash, 1, ?4) = ?3
		LIMIT ?5`, []driver.Value{b.ID, schema.ContentKey(hash), hash, int64(len(hash)), int64(most) + 1}, func(v []driver.Value) {
		a.Add(most, Found{Kind: "content", Text: text(v[3]), Path: text(v[0]), Builds: []string{b.Label}, Archive: text(v[1]), Ordinal: integer(v[2])})
	})
}
