package rows

import (
	"bytes"
	"unicode/utf8"

	"pakdb/schema/internal/btree"
)

// maxWords bounds words and folders that are kept, each.
const maxWords = 1 << 16

// texts finds texts by their ids.
type texts struct {
	paths    *btree.Cursor
	dirs     *btree.Cursor
	contents *btree.Cursor
	words    *btree.Cursor
	known    map[int64][]byte
	prefixes map[int64][]byte
	dir      int64 // the last one, and its prefix
	prefix   []byte
}

func newTexts(pages *btree.Pages) (*texts, error) {
	t := &texts{known: map[int64][]byte{}, prefixes: map[int64][]byte{}}
	for _, table := range []struct {
		name    string
		columns []string
		cursor  **btree.Cursor
	}{
		{"x_path", []string{"dir_id", "name", "ext_id"}, &t.paths},
		{"x_dir", []string{"prefix", "dir"}, &t.dirs},
		{"x_content", []string{"hash", "size", "kind_id"}, &t.contents},
		{"x_word", []string{"word"}, &t.words},
	} {
		tree, err := pages.Table(table.name, table.columns...)
		if err != nil {
			return nil, err
		}
		*table.cursor = tree.Cursor()
	}
	return t, nil
}

// valid returns a text with U+FFFD in place of what is not UTF-8.
func valid(b []byte) []byte {
	if utf8.Valid(b) {
		return b
	}
	return bytes.ToValidUTF8(b, []byte("\uFFFD"))
}

// word returns a word.
func (t *texts) word(id int64) ([]byte, error) {
	if w, ok := t.known[id]; ok {
		return w, nil
	}
	v, err := t.words.Find(id)
	if err != nil {
		return nil, err
	}
	if v == nil {
		return nil, unusual("no word %d", id)
	}
	if len(t.known) == maxWords {
		clear(t.known)
	}
	w := append([]byte{}, valid(v[0].Bytes)...)
	t.known[id] = w
	return w, nil
}

// path reads a path.
func (t *texts) path(id int64, p *Path) error {
	v, err := t.paths.Find(id)
	if err != nil {
		return err
	}
	if v == nil {
		return unusual("no path %d", id)
	}
	if bytes.IndexByte(v[1].Bytes, '/') >= 0 {
		return unusual("the name of path %d has a slash", id)
	}
	p.Name = valid(v[1].Bytes)
	if p.Ext, err = t.word(v[2].Int); err != nil {
		return err
	}
	p.Prefix, err = t.folder(v[0].Int)
	return err
}

// folder returns the prefix of a folder.
func (t *texts) folder(id int64) ([]byte, error) {
	if id == t.dir && t.dir != 0 {
		return t.prefix, nil
	}
	prefix, ok := t.prefixes[id]
	if !ok {
		v, err := t.dirs.Find(id)
		if err != nil {
			return nil, err
		}
		if v == nil || !isFolder(v[0].Bytes, v[1].Bytes) {
			return nil, unusual("folder %d has another prefix", id)
		}
		if len(t.prefixes) == maxWords {
			clear(t.prefixes)
		}
		prefix = append([]byte{}, valid(v[0].Bytes)...)
		t.prefixes[id] = prefix
	}
	t.dir, t.prefix = id, prefix
	return prefix, nil
}

// isFolder reports whether a prefix is that of a folder: nothing, a slash, or what ends in one.
func isFolder(prefix, folder []byte) bool {
	if len(prefix) < 2 {
		return bytes.Equal(prefix, folder) && (len(prefix) == 0 || prefix[0] == '/')
	}
	return prefix[len(prefix)-1] == '/' && bytes.Equal(prefix[:len(prefix)-1], folder)
}

// content reads a content.
func (t *texts) content(id int64, c *Content) error {
	v, err := t.contents.Find(id)
	if err != nil {
		return err
	}
	if v == nil {
		return unusual("no content %d", id)
	}
	c.ID, c.Hash, c.Size, c.Kind = id, v[0].Bytes, v[1].Int, nil
	if v[2].Kind != btree.Null {
		c.Kind, err = t.word(v[2].Int)
	}
	return err
}
