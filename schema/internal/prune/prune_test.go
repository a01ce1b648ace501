package prune_test

import (
	"testing"

	"pakdb/schema/internal/prune"
)

func TestView(t *testing.T) {
	const view = `CREATE VIEW files AS
SELECT b.label AS build,
       d.prefix || p.name AS path, -- two, tables
       coalesce(w.word, ',)--') AS kind,
       e.size
FROM x_build b
JOIN x_entry e ON e.build_id = b.build_id
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id
LEFT JOIN x_word w ON w.word_id = e.kind_id
LEFT JOIN x_build_name bn ON bn.build_id = b.build_id AND bn.mount = e.mount AND bn.row = e.row
LEFT JOIN x_symbol s ON s.key = e.key
LEFT JOIN x_word x ON x.word_id = e.x_id
    AND x.word = 'x'
WHERE b.complete = 1`
	const tail = `
LEFT JOIN x_symbol s ON s.key = e.key
LEFT JOIN x_word x ON x.word_id = e.x_id
    AND x.word = 'x'
WHERE b.complete = 1`
	const from = `
FROM x_build b
JOIN x_entry e ON e.build_id = b.build_id`
	const path = `
LEFT JOIN x_path p ON p.path_id = e.path_id
LEFT JOIN x_dir d ON d.dir_id = p.dir_id`
	for used, want := range map[string]string{
		" size ": "CREATE VIEW files AS\nSELECT NULL AS build, NULL AS path, NULL AS kind, e.size" + from + tail,
		" path ": "CREATE VIEW files AS\nSELECT NULL AS build, d.prefix || p.name AS path, NULL AS kind, NULL AS size" + from + path + tail,
		" kind ": "CREATE VIEW files AS\nSELECT NULL AS build, NULL AS path, coalesce(w.word, ',)--') AS kind, NULL AS size" + from +
			"\nLEFT JOIN x_word w ON w.word_id = e.kind_id" + tail,
	} {
		if got, changed := prune.View(view, used); !changed || got != want {
			t.Errorf("%s\n%s\nwant\n%s", used, got, want)
		}
	}
	for _, other := range []string{"", "CREATE VIEW x AS\nSELECT a\nFROM b\nGROUP BY a", "CREATE VIEW x AS\nSELECT DISTINCT a\nFROM b",
		"CREATE VIEW x AS\nSELECT a\nFROM b\nUNION ALL\nSELECT a\nFROM c", "CREATE VIEW x AS\nWITH c AS (SELECT 1)\nSELECT a\nFROM c"} {
		if got, changed := prune.View(other, " b "); changed || got != other {
			t.Errorf("%s: %s", other, got)
		}
	}
}

func TestInOthers(t *testing.T) {
	views := []string{"CREATE VIEW a AS\nSELECT 1 AS b\nFROM c", "CREATE VIEW d AS\nSELECT 1\nFROM e\nJOIN aa ON 1"}
	for name, want := range map[string]bool{"a": false, "c": true, "d": false, "aa": true, "b": false} {
		if got := prune.InOthers(views, name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if name := prune.Name(views[0]); name != "a" {
		t.Error(name)
	}
}
