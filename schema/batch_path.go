package schema

import (
	"database/sql/driver"
	"strings"
)

func (t *batchTx) insertDirs(b *batch) error {
	return t.insertNumbered("INSERT INTO dir (prefix, dir) SELECT a, b FROM src", b.firstDir, len(b.newDirs),
		func(row, col int) driver.Value {
			prefix := b.newDirs[row]
			if col == 0 || len(prefix) == 1 {
				return prefix
			}
			return strings.TrimSuffix(prefix, "/")
		})
}

func (t *batchTx) insertPaths(b *batch) error {
	for i := range b.newPaths {
		if err := t.addWords(b.newPaths[i].ext); err != nil {
			return err
		}
	}
	return t.insertNumbered("INSERT INTO path (dir_id, name, ext_id) SELECT a, b, c FROM src", b.firstPath, len(b.newPaths),
		func(row, col int) driver.Value {
			switch p := &b.newPaths[row]; col {
			case 0:
				return p.dir
			case 1:
				return p.name
			default:
				return t.words[p.ext]
			}
		})
}
