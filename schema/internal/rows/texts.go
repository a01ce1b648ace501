package rows

import (
	"context"

	"pakdb/schema/internal/btree"
	"pakdb/schema/internal/conn"
)

// maxFolders bounds folders that are kept.
const maxFolders = 1 << 16

// Texts finds paths, contents, words and names by their ids, as they are stored: a text may be no
// valid UTF-8.
type Texts struct {
	paths, dirs, contents, words, names *btree.Cursor
	folders                             map[int64]*Folder
	last                                *Folder // of the path that was read last
}

// Folder is a folder of paths.
type Folder struct {
	ID          int64
	Prefix, Dir string
}

// NewTexts returns the texts of a catalog.
func NewTexts(ctx context.Context, s *conn.Statements) (*Texts, error) {
	pages, err := btree.Open(ctx, s)
	if err != nil {
		return nil, err
	}
	return newTexts(pages)
}

func newTexts(pages *btree.Pages) (*Texts, error) {
	t := &Texts{folders: map[int64]*Folder{}}
	for _, table := range []struct {
		name    string
		columns []string
		cursor  **btree.Cursor
	}{
		{"x_path", []string{"dir_id", "name", "ext_id"}, &t.paths},
		{"x_dir", []string{"prefix", "dir"}, &t.dirs},
		{"x_content", []string{"hash", "size", "kind_id"}, &t.contents},
		{"x_word", []string{"word"}, &t.words},
		{"x_name", []string{"name"}, &t.names},
	} {
		tree, err := pages.Table(table.name, table.columns...)
		if err != nil {
			return nil, err
		}
		*table.cursor = tree.Cursor()
	}
	return t, nil
}

// path returns the folder, the name and the extension of a path, as the table has them.
func (t *Texts) path(id int64) ([]btree.Value, error) {
	v, err := t.paths.Find(id)
	if err == nil && v == nil {
		err = damaged("x_entry_row.path_id: no path %d", id)
	}
	return v, err
}

// Ext returns the id of the extension of a path, 0 for 0.
func (t *Texts) Ext(id int64) (int64, error) {
	if id == 0 {
		return 0, nil
	}
	v, err := t.path(id)
	if err != nil {
		return 0, err
	}
	return v[2].Int, nil
}

// Path returns the folder and the name of a path. The name belongs to the caller until the next
// call.
func (t *Texts) Path(id int64) (f *Folder, name []byte, err error) {
	v, err := t.path(id)
	if err != nil {
		return nil, nil, err
	}
	dir := v[0].Int
	name = v[1].Bytes
	if f = t.last; f != nil && f.ID == dir {
		return f, name, nil
	}
	if f = t.folders[dir]; f != nil {
		t.last = f
		return f, name, nil
	}
	d, err := t.dirs.Find(dir)
	if err == nil && d == nil {
		err = damaged("x_entry_row.path_id: no folder %d", dir)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(t.folders) == maxFolders {
		clear(t.folders)
	}
	f = &Folder{dir, string(d[0].Bytes), string(d[1].Bytes)}
	t.folders[dir] = f
	return f, name, nil
}

// Whole returns a path as one text, "" for 0.
func (t *Texts) Whole(id int64) (string, error) {
	if id == 0 {
		return "", nil
	}
	f, name, err := t.Path(id)
	if err != nil {
		return "", err
	}
	return f.Prefix + string(name), nil
}

// Content returns the hash of a content, which belongs to the caller until the next call,
// its size, and the id of its kind, 0 for none.
func (t *Texts) Content(id int64) (hash []byte, size, kind int64, err error) {
	v, err := t.contents.Find(id)
	if err != nil {
		return nil, 0, 0, err
	}
	if v == nil {
		return nil, 0, 0, damaged("x_entry_row.content_id: no content %d", id)
	}
	return v[0].Bytes, v[1].Int, v[2].Int, nil
}

// Word returns a word.
func (t *Texts) Word(id int64) (string, error) { return textOf(t.words, "word", id) }

// Name returns a text of table name.
func (t *Texts) Name(id int64) (string, error) { return textOf(t.names, "name", id) }

func textOf(c *btree.Cursor, what string, id int64) (string, error) {
	v, err := c.Find(id)
	if err != nil {
		return "", err
	}
	if v == nil {
		return "", damaged("%s %d leads to no row", what, id)
	}
	return string(v[0].Bytes), nil
}
