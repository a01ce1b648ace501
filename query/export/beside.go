package export

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"pakdb/internal/atomicfile"
)

// Beside writes duckdb.sql into a folder, which makes the views that the folder has as
// Parquet.
func Beside(ctx context.Context, dir string) (err error) {
	d, err := atomicfile.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	var have []*View
	for _, v := range Views() {
		files, err := fs.Glob(d.FS(), v.Name+"/build=*/*.parquet")
		if err != nil {
			return err
		}
		if len(files) > 0 {
			have = append(have, v)
		}
	}
	if len(have) == 0 {
		return nil
	}
	return save(d, "duckdb.sql", []byte(duckDB(have)))
}

// Contents is the view of the catalog that has no build, as engines make it of entries.
const Contents = "SELECT content, max(size) AS size, max(kind) AS kind, count(*) AS entry_count, count(DISTINCT build) AS build_count FROM entries WHERE content IS NOT NULL GROUP BY content"

// duckDB returns the SQL that makes views in DuckDB. It is run in the folder. Views show
// builds that are complete; if there is none, asking them is an error.
func duckDB(have []*View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Views of pakdb, version %d: run duckdb in this folder, then .read duckdb.sql\n", Version)
	b.WriteString(`CREATE OR REPLACE MACRO complete_builds() AS TABLE SELECT build
    FROM read_json('_builds/build=*/_SUCCESS.json', columns = {'build': 'VARCHAR'}, hive_partitioning = false);
`)
	for _, v := range have {
		fmt.Fprintf(&b, "CREATE OR REPLACE VIEW %s AS SELECT build, * EXCLUDE (build)\n    FROM read_parquet('%[1]s/build=*/*.parquet', hive_partitioning = true, hive_types = {'build': VARCHAR})\n    WHERE build IN (FROM complete_builds());\n", v.Name)
		if v.Name == "entries" {
			fmt.Fprintf(&b, "CREATE OR REPLACE VIEW contents AS %s;\n", Contents)
		}
	}
	return b.String()
}
