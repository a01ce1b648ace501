package show

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"

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

// ClassesOf returns the class of what each package is for ("Texture2D"), by the content_id of
// packages; of contents that are none it is "".
func ClassesOf(ctx context.Context, db *sql.DB, contents []int64) ([]string, error) {
	ids, err := json.Marshal(contents)
	if err != nil {
		return nil, err
	}
	found := map[int64]string{}
	err = schema.EachRow(ctx, db, classSQL, []driver.Value{string(ids)}, func(v []driver.Value) {
		id, _ := v[0].(int64)
		found[id], _ = v[1].(string)
	})
	classes := make([]string, len(contents))
	for i, id := range contents {
		classes[i] = found[id]
	}
	return classes, err
}
