package explore

import (
	"context"
	"database/sql/driver"
	"math"
	"slices"

	"pakdb/schema"
)

// Holds says how many things of each kind a file has.
type Holds struct {
	Textures, Sounds, Functions, Tables, Curves, Texts int64
	Values                                             bool // properties, fields of a prototype or settings
}

// ofPath limits a view to what one archive of a build has of a path.
const ofPath = ` WHERE build_id = ?1 AND archive_id = ?4 AND path_id = ` + pathID

const pathID = `(SELECT p.path_id FROM x_path_key k
	CROSS JOIN x_path p ON p.path_id = k.path_id
	CROSS JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE k.key = ?2 AND d.prefix || p.name = ?3)`

// of are the arguments of ofPath.
func (e *Entry) of(b *Build) []driver.Value {
	return []driver.Value{b.ID, schema.PathKey(e.Path), e.Path, e.ArchiveID}
}

// Holds counts what an entry of a build has.
func (c *Catalog) Holds(ctx context.Context, b *Build, e *Entry) (h Holds, err error) {
	err = c.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM textures`+ofPath+` AND why IS NULL), (SELECT count(*) FROM sounds`+ofPath+` AND why IS NULL),
			(SELECT count(*) FROM functions`+ofPath+`), (SELECT count(*) FROM data_tables`+ofPath+`) + EXISTS (SELECT 1 FROM assets`+ofPath+`),
			EXISTS (SELECT 1 FROM curve_keys`+ofPath+`) OR EXISTS (SELECT 1 FROM calligraphy_curves`+ofPath+`), EXISTS (SELECT 1 FROM strings`+ofPath+`),
			EXISTS (SELECT 1 FROM properties`+ofPath+`) OR EXISTS (SELECT 1 FROM calligraphy_fields`+ofPath+` AND owner IS NULL) OR EXISTS (SELECT 1 FROM config`+ofPath+`)`,
		b.ID, schema.PathKey(e.Path), e.Path, e.ArchiveID).Scan(&h.Textures, &h.Sounds, &h.Functions, &h.Tables, &h.Curves, &h.Texts, &h.Values)
	return h, schema.Classify(err)
}

// Facts returns what the first texture, sound and data table of an entry are, in words.
func (c *Catalog) Facts(ctx context.Context, b *Build, e *Entry) ([]string, error) {
	all := []string{}
	err := schema.EachRow(ctx, c.db, `SELECT * FROM (SELECT width || ' x ' || height || ', ' || replace(format, 'PF_', '') || ', ' || mips || iif(mips = 1, ' mip', ' mips') FROM textures`+ofPath+` AND why IS NULL LIMIT 1)
		UNION ALL SELECT * FROM (SELECT printf('%.1f s, %s, %d Hz, %d channels', duration, codec, rate, channels) FROM sounds`+ofPath+` AND why IS NULL LIMIT 1)
		UNION ALL SELECT * FROM (SELECT row_count || iif(row_count = 1, ' row', ' rows') FROM data_tables`+ofPath+` LIMIT 1)`, e.of(b),
		func(r []driver.Value) { all = append(all, text(r[0])) })
	return all, schema.Classify(err)
}

// DataTable is a data table of a game, as people see it, or the assets of a registry.
type DataTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"` // "" first, for the names of rows
	Rows    [][]any  `json:"rows"`    // values of SQL; nil where a row lacks the field
	More    bool     `json:"more"`    // there are more rows or columns
	View    string   `json:"view"`    // that has all of them
}

const (
	mostTableRows    = 5000
	mostTableColumns = 200
	mostCurves       = 50
	mostTexts        = 5000
	mostPoints       = 20_000
)

// Tables returns the data tables in an entry, rows and columns in their order, or the assets that a
// registry lists.
func (c *Catalog) Tables(ctx context.Context, b *Build, e *Entry) ([]DataTable, error) {
	all := []DataTable{}
	columns, last := map[string]int{}, ""
	err := schema.EachRow(ctx, c.db, `SELECT data_table, row_name, coalesce(field, ''), value FROM data_table_rows`+ofPath+` ORDER BY export_ordinal, position`,
		e.of(b), func(r []driver.Value) {
			name, row, field := text(r[0]), text(r[1]), text(r[2])
			if len(all) == 0 || all[len(all)-1].Name != name {
				all = append(all, DataTable{Name: name, Columns: []string{""}, Rows: [][]any{}, View: "data_table_rows"})
				clear(columns)
				last = ""
			}
			t := &all[len(all)-1]
			if len(t.Rows) == 0 || last != row {
				if last = row; len(t.Rows) == mostTableRows {
					t.More = true
				} else {
					t.Rows = append(t.Rows, []any{row})
				}
			}
			at, ok := columns[field]
			if !ok && field != "" && len(t.Columns) < mostTableColumns {
				at, ok = len(t.Columns), true
				columns[field] = at
				t.Columns = append(t.Columns, field)
			}
			if cells := &t.Rows[len(t.Rows)-1]; t.More || !ok {
				t.More = t.More || field != ""
			} else {
				*cells = append(*cells, make([]any, max(0, at+1-len(*cells)))...)
				(*cells)[at] = r[3]
			}
		})
	if err != nil {
		return nil, schema.Classify(err)
	}
	registry := DataTable{Name: "Assets", Columns: []string{"", "Class", "Size", "Package"}, View: "assets"}
	err = schema.EachRow(ctx, c.db, `SELECT asset, replace(class, '/Script/Engine.', ''), disk_size, package FROM assets`+ofPath+` ORDER BY ordinal LIMIT ?5`,
		append(e.of(b), int64(mostTableRows+1)), func(r []driver.Value) {
			if registry.More = len(registry.Rows) == mostTableRows; !registry.More {
				registry.Rows = append(registry.Rows, []any{r[0], r[1], r[2], r[3]})
			}
		})
	if len(registry.Rows) > 0 {
		all = append(all, registry)
	}
	return all, schema.Classify(err)
}

// Text is a text that players read.
type Text struct {
	Culture   string `json:"culture"`
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
	Text      string `json:"text"`
	Field     string `json:"field"` // whose value it is; "" in a file of translations
	Stale     bool   `json:"stale"` // the text that it translates is another by now
}

// Texts returns the texts in an entry in their order, and whether there are more.
func (c *Catalog) Texts(ctx context.Context, b *Build, e *Entry) (all []Text, more bool, err error) {
	all = []Text{}
	err = schema.EachRow(ctx, c.db, `SELECT culture, namespace, key, text, field, stale FROM strings`+ofPath+` ORDER BY export_ordinal, position LIMIT ?5`,
		append(e.of(b), int64(mostTexts+1)), func(r []driver.Value) {
			if more = len(all) == mostTexts; !more {
				all = append(all, Text{text(r[0]), text(r[1]), text(r[2]), text(r[3]), text(r[4]), integer(r[5]) == 1})
			}
		})
	return all, more, schema.Classify(err)
}

// Curve is points that a line goes through.
type Curve struct {
	Name   string       `json:"name"`
	Points [][2]float64 `json:"points"`
}

// Curves returns the curves in an entry, as far as there are few enough to be seen.
func (c *Catalog) Curves(ctx context.Context, b *Build, e *Entry) ([]Curve, error) {
	all, points := []Curve{}, 0
	add := func(name string, x, y driver.Value) {
		px, okX := number(x)
		py, okY := number(y)
		if points++; !okX || !okY || points > mostPoints {
			return
		}
		i := slices.IndexFunc(all, func(of Curve) bool { return of.Name == name })
		if i < 0 {
			if len(all) == mostCurves {
				return
			}
			i, all = len(all), append(all, Curve{Name: name})
		}
		all[i].Points = append(all[i].Points, [2]float64{px, py})
	}
	err := schema.EachRow(ctx, c.db, `SELECT export || ' ' || curve, time, value FROM curve_keys`+ofPath+` ORDER BY export_ordinal, position`, e.of(b),
		func(r []driver.Value) { add(text(r[0]), r[1], r[2]) })
	if err == nil {
		err = schema.EachRow(ctx, c.db, `SELECT position, value FROM calligraphy_curves`+ofPath+` ORDER BY position`, e.of(b),
			func(r []driver.Value) { add("", r[0], r[1]) })
	}
	return all, schema.Classify(err)
}

func number(v driver.Value) (float64, bool) {
	switch v := v.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return 0, false
}
