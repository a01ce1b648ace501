package show

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"errors"

	"pakdb/diff"
	"pakdb/internal/asset"
	"pakdb/schema"
)

// Of the objects in a package the one counts that is marked as its asset, then the largest that
// lies in no other. A class of its own says what it inherits from.
const classSQL = `SELECT x.content_id, coalesce(s.name, n.name),
		max((x.export_flags & 16) << 44 | (n.name <> 'MetaData') << 41 | (x.outer = 0) << 40 | min(x.size, 1 << 39))
	FROM json_each(?1) j
	CROSS JOIN x_package_export x ON x.content_id = j.value
	CROSS JOIN x_name n ON n.name_id = x.class_id
	LEFT JOIN x_name s ON s.name_id = x.super_id AND x.class = 0
	GROUP BY x.content_id`

// Placed is a file of a build, by the label of that.
type Placed struct {
	Build string
	*diff.File
}

// NewerSide returns the file of a change that the new build has, or the old one if it has none.
func NewerSide(old, new string, c *diff.Change) Placed {
	if c.New != nil {
		return Placed{new, c.New}
	}
	return Placed{old, c.Old}
}

// ClassesOf returns the class of the object that each file is for ("Texture2D"), "" of what is
// no package. A .uexp or .ubulk is of the class of its .uasset; so is a file that is known by
// its path alone.
func ClassesOf(ctx context.Context, db *sql.DB, files []Placed) ([]string, error) {
	contents := make([]int64, len(files))
	asked := schema.NewStatements(db)
	defer func() { _ = asked.Close() }()
	for i, f := range files {
		contents[i] = f.ContentID
		stem, ext, part := asset.Split(f.Path)
		if part == asset.None || part == asset.Header && f.ContentID != 0 {
			continue
		}
		headers := asset.Headers("")
		if part == asset.Header {
			headers = []string{ext}
		}
		header, err := diff.FindPart(ctx, asked, f.Build, stem+ext, headers...)
		if err == nil {
			contents[i] = header.ContentID
		} else if !errors.Is(err, diff.ErrNoFile) {
			return nil, err
		}
	}
	ids, err := json.Marshal(contents)
	if err != nil {
		return nil, err
	}
	found := map[int64]string{}
	err = schema.EachRow(ctx, db, classSQL, []driver.Value{string(ids)}, func(v []driver.Value) {
		id, _ := v[0].(int64)
		found[id], _ = v[1].(string)
	})
	classes := make([]string, len(files))
	for i, id := range contents {
		classes[i] = found[id]
	}
	return classes, err
}
