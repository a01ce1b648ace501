package side

import (
	"context"
	"database/sql/driver"
	"encoding/hex"

	"pakdb/internal/sketch"
	"pakdb/schema"
)

// Hashes returns the BLAKE3 in hex of contents, by content_id.
func (c *Catalog) Hashes(ctx context.Context, contents []int64) (map[int64]string, error) {
	hashes := map[int64]string{}
	err := LookUp(ctx, c.DB, "SELECT c.content_id, c.hash FROM ", "x_content c", "c.content_id", Set(contents), func(id int64, v []driver.Value) {
		if b, ok := v[1].([]byte); ok {
			hashes[id] = hex.EncodeToString(b)
		}
	})
	return hashes, err
}

// Sketches returns the sketches of contents, by content_id. Contents that are too
// small, or were indexed without, have none.
func (c *Catalog) Sketches(ctx context.Context, contents []int64) (map[int64]sketch.Sketch, error) {
	found := map[int64]sketch.Sketch{}
	err := c.EachSketch(ctx, contents, func(id int64, s sketch.Sketch) { found[id] = s })
	return found, err
}

// EachSketch calls do for the sketches of contents, ordered by content_id.
func (c *Catalog) EachSketch(ctx context.Context, contents []int64, do func(content int64, s sketch.Sketch)) error {
	if has, err := Exists(ctx, c.DB, "SELECT 1 FROM x_content_sketch"); err != nil || !has {
		return err
	}
	return LookUp(ctx, c.DB, "SELECT c.content_id, c.sketch FROM ", "x_content_sketch c", "c.content_id", Set(contents), func(id int64, v []driver.Value) {
		if b, ok := v[1].([]byte); ok {
			do(id, sketch.Unmarshal(b))
		}
	})
}

// Essences are digests of what contents say but for noise, by content_id: of Unreal
// packages, and of what holds the bytes of their exports. A content has several
// where several packages divide it.
type Essences map[int64][]string

// Essences reads the essences of contents. Most have none.
func (c *Catalog) Essences(ctx context.Context, contents []int64) (Essences, error) {
	found := Essences{}
	if has, err := Exists(ctx, c.DB, "SELECT 1 FROM x_package_digest"); err != nil || !has {
		return found, err
	}
	err := LookUp(ctx, c.DB, "SELECT g.content_id, g.essence FROM ", "x_package_digest g", "g.content_id", Set(contents), func(id int64, v []driver.Value) {
		if b, ok := v[1].([]byte); ok {
			found[id] = append(found[id], string(b))
		}
	})
	return found, err
}

// Same reports whether two contents differ in noise alone.
func (e Essences) Same(a, b int64) bool {
	for _, x := range e[a] {
		for _, y := range e[b] {
			if x == y {
				return true
			}
		}
	}
	return false
}

// Words returns the short strings of a catalog, of which there are few, by word_id.
func (c *Catalog) Words(ctx context.Context) (map[int64]string, error) {
	words := map[int64]string{}
	err := schema.EachRow(ctx, c.DB, "SELECT word_id, word FROM x_word", nil, func(v []driver.Value) { words[Integer(v[0])] = Text(v[1]) })
	return words, err
}
