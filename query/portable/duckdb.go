package portable

import (
	"fmt"
	"strings"
)

// DuckDB returns the SQL that makes the views of a folder in DuckDB, of those views that
// the folder has. It is run in that folder. Views show builds that are complete; if there is
// none, asking them is an error.
func DuckDB(have []*View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- Views of pakdb, version %d: run duckdb in this folder, then .read duckdb.sql\n", Version)
	b.WriteString(`CREATE OR REPLACE MACRO path_head(path, n) AS CASE WHEN starts_with(path, '/')
    THEN array_to_string(list_slice(string_split(path, '/'), 1, greatest(n, 1) + 1), '/')
    ELSE array_to_string(list_slice(string_split(path, '/'), 1, greatest(n, 1)), '/') END;
`)
	b.WriteString(`CREATE OR REPLACE MACRO complete_builds() AS TABLE SELECT build
    FROM read_json('_builds/build=*/_SUCCESS.json', columns = {'build': 'VARCHAR'}, hive_partitioning = false);
`)
	for _, v := range have {
		var columns []string
		for _, c := range v.Columns {
			columns = append(columns, `"`+c.Name+`"`)
		}
		fmt.Fprintf(&b, "CREATE OR REPLACE VIEW %s AS SELECT %s\n    FROM read_parquet('%s/build=*/*.parquet', hive_partitioning = true, hive_types = {'build': VARCHAR})\n    WHERE build IN (FROM complete_builds());\n",
			v.Name, strings.Join(columns, ", "), v.Name)
	}
	return b.String()
}
