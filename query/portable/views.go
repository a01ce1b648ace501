package portable

// A column of a text, of one that may be NULL, and so on. few marks columns of few
// different values.
func text(name string) Column     { return Column{Name: name} }
func textNull(name string) Column { return Column{Name: name, Null: true} }
func integer(name string) Column  { return Column{Name: name, Type: Int} }
func intNull(name string) Column  { return Column{Name: name, Type: Int, Null: true} }
func realNull(name string) Column { return Column{Name: name, Type: Real, Null: true} }

func few(c Column) Column { c.Few = true; return c }

func hash(c Column) Column { c.Hash = true; return c }

func as(c Column, sql string) Column { c.SQL = sql; return c }

var views = []*View{
	{
		Name: "builds",
		Doc:  "one row per build",
		Columns: []Column{
			few(text("build")), text("created_at"), integer("archive_count"), integer("entry_count"), integer("size"),
			integer("stored"), integer("problem_count"),
		},
		Order: []string{"build"},
		from:  "builds WHERE build = ?1",
	},
	{
		Name: "archives",
		Doc:  "one row per file of a build",
		Columns: []Column{
			few(text("build")), text("archive"), few(text("format")), few(text("version")), integer("size"), hash(textNull("digest")),
			few(text("mount_point")), integer("mount_order"), integer("encrypted"), integer("entry_count"), integer("problem_count"),
		},
		Order: []string{"archive"},
		from:  "archives WHERE build = ?1",
	},
	{
		Name: "entries",
		Doc:  "one row per stored file of every archive",
		Columns: []Column{
			few(text("build")), few(text("archive")), integer("ordinal"), textNull("path"), few(textNull("dir")), textNull("name"),
			few(textNull("ext")), few(textNull("type")), hash(textNull("asset_id")), hash(textNull("path_hash")), integer("offset"), integer("stored"),
			integer("size"), few(text("method")), integer("encrypted"), integer("deleted"), textNull("mtime"), hash(textNull("content")),
			few(textNull("kind")), hash(textNull("padded_content")), integer("nested"),
		},
		Order: []string{"path", "archive", "ordinal"},
		from:  "entries WHERE build = ?1",
	},
	{
		Name: "files",
		Doc:  "the files that a game sees: of several entries of one file, the one that wins",
		Columns: []Column{
			few(text("build")), textNull("path"), few(text("archive")), integer("ordinal"), integer("size"), hash(textNull("content")),
			integer("shadowed_count"), few(text("mount_point")), integer("mount_order"),
			as(hash(textNull("file_key")), "CASE WHEN file_key IS NOT NULL THEN lower(hex(file_key)) END"),
			few(text("mount")), textNull("game_path"),
		},
		Order: []string{"path", "archive", "ordinal"},
		from:  "files WHERE build = ?1",
	},
	{
		Name: "contents",
		Doc:  "one row per distinct decoded content of a build",
		Columns: []Column{
			few(as(text("build"), "?1")), hash(text("content")), integer("size"), few(textNull("kind")), integer("entry_count"),
		},
		Order: []string{"content"},
		from: `(SELECT lower(hex(c.hash)) AS content, c.size, k.word AS kind, g.entry_count
      FROM (SELECT e.content_id, count(*) AS entry_count
            FROM build b
            JOIN build_archive ba ON ba.build_id = b.build_id
            JOIN entry e ON e.archive_id = ba.archive_id
            WHERE b.label = ?1 AND b.complete = 1 AND e.content_id IS NOT NULL
            GROUP BY e.content_id) g
      JOIN content c ON c.content_id = g.content_id
      LEFT JOIN word k ON k.word_id = c.kind_id)`,
	},
	{
		Name: "dependencies",
		Doc:  "all references, one row each: what refers to what",
		Columns: []Column{
			few(text("build")), few(text("archive")), textNull("path"), few(text("kind")), few(text("target_kind")), text("target"),
			textNull("target_path"), few(text("status")), integer("weak"), integer("seq"), integer("target_key"),
		},
		Order: []string{"path", "archive", "seq"},
		from:  "dependencies WHERE build = ?1",
		of:    []string{"ref"},
	},
	{
		Name: "problems",
		Doc:  "findings about archives, entries and contents",
		Columns: []Column{
			few(text("build")), few(text("archive")), textNull("path"), few(text("field")), intNull("offset"), text("cause"),
			intNull("ordinal"), integer("whole"),
		},
		Order: []string{"archive", "ordinal", "field"},
		from:  "problems WHERE build = ?1",
	},
	{
		Name: "properties",
		Doc:  "the values in Unreal packages, one row each",
		Columns: []Column{
			few(text("build")), few(text("archive")), textNull("path"), textNull("package"), text("export"), few(text("class")),
			few(text("field")), few(text("name")), few(text("type")), as(textNull("value"), "CAST(value AS TEXT)"), textNull("target"),
			textNull("text"), integer("position"), few(text("origin")), realNull("number"), as(textNull("element"), "CAST(element AS TEXT)"),
			few(text("column_path")), integer("many"), integer("export_ordinal"), intNull("reference"),
		},
		Order: []string{"path", "archive", "export_ordinal", "position"},
		from:  "properties WHERE build = ?1",
		of:    []string{"property"},
	},
	{
		Name: "data_table_rows",
		Doc:  "the cells of data tables",
		Columns: []Column{
			few(text("build")), few(text("archive")), textNull("path"), textNull("package"), few(text("data_table")), text("row_name"),
			few(textNull("field")), few(text("name")), few(text("type")), as(textNull("value"), "CAST(value AS TEXT)"), textNull("target"),
			realNull("number"), integer("position"), integer("export_ordinal"),
		},
		Order: []string{"path", "archive", "export_ordinal", "position"},
		from:  "data_table_rows WHERE build = ?1",
		of:    []string{"property"},
	},
	{
		Name: "strings",
		Doc:  "texts: of string tables, of properties in packages, and their translations",
		Columns: []Column{
			few(text("build")), few(text("archive")), textNull("path"), textNull("package"), textNull("export"), few(textNull("class")),
			few(textNull("field")), few(textNull("namespace")), text("key"), textNull("text"), integer("position"),
			intNull("export_ordinal"), few(textNull("culture")), hash(textNull("source_hash")), intNull("stale"),
		},
		Order: []string{"path", "archive", "export_ordinal", "position"},
		from:  "strings WHERE build = ?1",
		of:    []string{"property", "localized_text", "retro_string", "script_text"},
	},
	{
		Name: "assets",
		Doc:  "the assets that asset registries list",
		Columns: []Column{
			few(text("build")), few(text("archive")), few(text("path")), text("package"), text("asset"), few(text("class")),
			few(textNull("chunks")), integer("flags"), integer("bundled_count"), intNull("disk_size"), integer("ordinal"),
		},
		Order: []string{"path", "archive", "ordinal"},
		from:  "assets WHERE build = ?1",
		of:    []string{"registry_asset"},
	},
}
