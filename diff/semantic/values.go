package semantic

import (
	"cmp"
	"context"
	"database/sql/driver"
	"slices"
	"strconv"
	"strings"

	"pakdb/diff"
	"pakdb/diff/internal/side"
	"pakdb/diff/internal/values"
)

// objects are the values of a package on one side.
type objects struct {
	rows  []values.Row
	exact map[string]bool      // exports whose values are all that they say, by folded path
	some  bool                 // values were read
	path  int64                // of the package
	code  map[string]*function // by folded path
}

// side returns the values, and how to read those that the objects inherit. What that
// meets is put into err.
func (o *objects) side(ctx context.Context, s *Comparer, build int64, err *error) values.Side {
	return values.Side{Rows: o.rows, Inherited: func() (rows []values.Row) {
		failed := s.each(ctx, inheritedRows, []driver.Value{build, o.path}, func(v []driver.Value) {
			rows = append(rows, values.Row{Object: side.Text(v[0]), Class: side.Text(v[1]), Field: side.Text(v[2]),
				Type: side.Text(v[3]), Value: shownValue(v[3], v[4])})
		})
		*err = cmp.Or(*err, failed)
		return rows
	}}
}

// valueChanges reports what differs between the values of a package's objects, and their
// code. hides are the fields of exports that they make superfluous.
func valueChanges(ctx context.Context, s *Comparer, in *Difference, old, new *diff.File) (hides func(name string) bool, err error) {
	a, err := objectsOf(ctx, s, s.oldID, old)
	if err != nil {
		return nil, err
	}
	b, err := objectsOf(ctx, s, s.newID, new)
	if err != nil || !a.some || !b.some {
		return func(string) bool { return false }, err
	}
	for _, c := range values.Compare(a.side(ctx, s, s.oldID, &err), b.side(ctx, s, s.newID, &err)) {
		in.Fields = append(in.Fields, Field{Name: c.Name, Old: c.Old, New: c.New, Cosmetic: c.Cosmetic})
	}
	in.Curves = changedCurves(curvesOf(a.rows), curvesOf(b.rows))
	if err != nil {
		return nil, err
	}
	in.Functions = codeChanges(a, b)
	if len(in.Functions) > 0 && !s.Hashes {
		in.Fields = slices.DeleteFunc(in.Fields, func(f Field) bool {
			_, declared, _ := strings.Cut(f.Name, ".declares[")
			return isMade(declared)
		})
	}
	return func(name string) bool {
		if s.Hashes {
			return false
		}
		if made, found := strings.CutPrefix(name, "name "); found {
			return len(in.Functions) > 0 && isMade(made)
		}
		if !strings.HasPrefix(name, "export ") {
			return false
		}
		name = values.Fold(strings.TrimPrefix(name, "export "))
		if path := functionPath(name); a.code[path] != nil || b.code[path] != nil {
			return a.code[path] == nil || b.code[path] == nil // it came or went
		}
		for _, end := range []string{" bytes", " size"} {
			if path, found := strings.CutSuffix(name, end); found {
				path = strings.ReplaceAll(path, ":", ".")
				if f, g := a.code[functionPath(path)], b.code[functionPath(path)]; f != nil && g != nil {
					if f.form == g.form && end == " bytes" {
						in.moved++
					}
					return true
				}
				return a.exact[path] && b.exact[path]
			}
		}
		return false
	}, nil
}

// objectsOf reads the values of a package in one build. They are those of the content
// that holds its exports.
func objectsOf(ctx context.Context, s *Comparer, build int64, f *diff.File) (*objects, error) {
	all := &objects{exact: map[string]bool{}}
	header, body, err := s.splitFiles(ctx, build, f)
	if err != nil || header == nil {
		return all, err
	}
	if body == nil {
		body = header
	}
	var sets []int64
	err = s.each(ctx, valueSets, []driver.Value{build, body.ContentID, header.PathID}, func(v []driver.Value) {
		sets = append(sets, side.Integer(v[0]))
	})
	if err != nil || len(sets) == 0 {
		return all, err
	}
	all.some, all.path = true, header.PathID
	err = s.each(ctx, valueExports, []driver.Value{sets[0]}, func(v []driver.Value) {
		all.exact[values.Fold(strings.ReplaceAll(side.Text(v[0]), ":", "."))] = side.Integer(v[1]) == 0 && !declares(side.Text(v[2]))
	})
	if err != nil {
		return all, err
	}
	for _, query := range []string{valueRows, declaredFields, mediaRows} {
		err := s.each(ctx, query, []driver.Value{sets[0]}, func(v []driver.Value) {
			all.rows = append(all.rows, values.Row{Object: side.Text(v[0]), Class: side.Text(v[1]), Field: side.Text(v[2]),
				Element: side.Text(v[3]), Keyed: side.Integer(v[6]) != 0, Type: side.Text(v[4]), Value: shownValue(v[4], v[5])})
		})
		if err != nil {
			return all, err
		}
	}
	return all, codeOf(ctx, s, all, sets[0])
}

// declares reports whether objects of a class are declarations, with code and fields
// that are no values.
func declares(class string) bool {
	for _, end := range []string{"Function", "Class", "Struct", "Enum"} {
		if strings.HasSuffix(values.Fold(class), values.Fold(end)) {
			return true
		}
	}
	return false
}

// shownValue renders a value as people write it.
func shownValue(kind, v driver.Value) string {
	switch v := v.(type) {
	case nil:
		return "none"
	case int64:
		if side.Text(kind) == "Bool" {
			return strconv.FormatBool(v != 0)
		}
	case float64:
		bits := 64
		if side.Text(kind) == "Float" {
			bits = 32
		}
		return strconv.FormatFloat(v, 'g', -1, bits)
	case string:
		switch side.Text(kind) {
		case "Str", "Text", "Utf8Str", "AnsiStr", "VerseStr":
			return strconv.Quote(v)
		}
		return v
	}
	return valueText(v)
}

// valueSets lists the values of content ?2 in build ?1 for the package of path ?3: those
// that hold in the build alone first.
const valueSets = `SELECT s.set_id
	FROM x_value_set s
	WHERE s.content_id = ?2
		AND (s.context = 0 OR EXISTS (SELECT 1 FROM x_build_value bv WHERE bv.build_id = ?1 AND bv.set_id = s.set_id))
		AND s.header IN (SELECT ve.header
			FROM x_value_entry ve
			JOIN x_entry_row r ON r.lineage_id = ve.lineage_id AND r.row = ve.row
			WHERE ve.path_id = ?3 AND r.content_id = ?2)
	ORDER BY s.context = 0, s.set_id DESC`

const objectPath = `coalesce(xo.name, '') || xn.name || coalesce('_' || x.number, '')`

// valueExports yields the exports of set ?1: path, how much of it was understood, class.
const valueExports = `SELECT ` + objectPath + `, x.status, xc.name
	FROM x_value_export x
	JOIN x_name xc ON xc.name_id = x.class_id
	LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
	JOIN x_name xn ON xn.name_id = x.object_id
	WHERE x.set_id = ?1`

// valueRows yields the values of set ?1: object, class, field, element, type, value, and
// whether the element is a key. declaredFields yields the same of the fields that its
// classes declare.
const valueRows = `SELECT ` + objectPath + `, xc.name,
		coalesce(f.name, n.name || CASE WHEN v.place IS NULL AND v.key_id IS NULL THEN '' ELSE '[]' END),
		coalesce(vk.name, CAST(v.place AS TEXT)), t.word,
		CASE
			WHEN v.flags & 8 THEN 'opaque: ' || coalesce(vt.name, '')
			WHEN v.ref > 0 THEN coalesce(ro.name, '') || rn.name || coalesce('_' || rx.number, '')
			WHEN v.value IS NULL THEN vt.name
			ELSE v.value
		END,
		v.key_id IS NOT NULL
	FROM x_property v
	JOIN x_name n ON n.name_id = v.name_id
	LEFT JOIN x_name f ON f.name_id = v.field_id
	LEFT JOIN x_name vk ON vk.name_id = v.key_id
	LEFT JOIN x_name vt ON vt.name_id = v.text_id
	LEFT JOIN x_word t ON t.word_id = v.type_id
	JOIN x_value_export x ON x.set_id = v.set_id AND x.ordinal = v.export
	JOIN x_name xc ON xc.name_id = x.class_id
	LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
	JOIN x_name xn ON xn.name_id = x.object_id
	LEFT JOIN x_value_export rx ON rx.set_id = v.set_id AND rx.ordinal = v.ref - 1
	LEFT JOIN x_name ro ON ro.name_id = rx.outer_path_id
	LEFT JOIN x_name rn ON rn.name_id = rx.object_id
	WHERE v.set_id = ?1
	ORDER BY v.seq`

// inheritedRows yields what objects of the package of path ?2 in build ?1 have from others:
// object, class, field, type, value. Elements are inherited with what they are in.
const inheritedRows = `SELECT export, class, field, type, coalesce(value, text)
	FROM properties_effective
	WHERE build_id = ?1 AND path_id = ?2 AND depth > 0 AND origin = 'list' AND field NOT LIKE '%[%'
	ORDER BY export_ordinal, depth, position`

const declaredFields = `SELECT ` + objectPath + `, xc.name, 'declares[]', n.name, 'Field', t.name || CASE WHEN c.count > 1 THEN '[' || c.count || ']' ELSE '' END, 1
	FROM x_class_field c
	JOIN x_name n ON n.name_id = c.name_id
	JOIN x_name t ON t.name_id = c.type_id
	JOIN x_value_export x ON x.set_id = c.set_id AND x.ordinal = c.export
	JOIN x_name xc ON xc.name_id = x.class_id
	LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
	JOIN x_name xn ON xn.name_id = x.object_id
	WHERE c.set_id = ?1
	ORDER BY c.seq`

// mediaRows yields what textures and sounds of set ?1 are, as fields of their objects.
const mediaRows = `SELECT ` + objectPath + `, xc.name, k.field, NULL, k.type, k.value, 0
	FROM (
		SELECT t.set_id, t.export, 1 AS place, 'Texture.Format' AS field, 'Name' AS type,
			coalesce((SELECT word FROM x_word WHERE word_id = t.format_id), 'opaque: ' || (SELECT name FROM x_name WHERE name_id = t.why_id)) AS value
		FROM x_texture t
		WHERE t.set_id = ?1
		UNION ALL
		SELECT t.set_id, t.export, 2, 'Texture.Size', 'Name', t.width || ' x ' || t.height || CASE WHEN t.slices > 1 THEN ' x ' || t.slices ELSE '' END
		FROM x_texture t
		WHERE t.set_id = ?1 AND t.format_id IS NOT NULL
		UNION ALL
		SELECT t.set_id, t.export, 3, 'Texture.Mips', 'Int', t.mips
		FROM x_texture t
		WHERE t.set_id = ?1 AND t.format_id IS NOT NULL
		UNION ALL
		SELECT m.set_id, m.export, 4, 'Texture.Bytes' || CASE w.word WHEN '' THEN '' ELSE ' (' || w.word || ')' END, 'Int64', sum(m.size)
		FROM x_texture_mip m
		JOIN x_word w ON w.word_id = m.file_id
		WHERE m.set_id = ?1 AND m.size > 0
		GROUP BY m.export, m.file_id
		UNION ALL
		SELECT s.set_id, s.export, 1, 'Sound.Codec', 'Name', coalesce('opaque: ' || (SELECT name FROM x_name WHERE name_id = s.why_id), w.word)
		FROM x_sound s
		JOIN x_word w ON w.word_id = s.codec_id
		WHERE s.set_id = ?1
		UNION ALL
		SELECT s.set_id, s.export, 2, 'Sound.Channels', 'Int', s.channels FROM x_sound s WHERE s.set_id = ?1 AND s.channels IS NOT NULL
		UNION ALL
		SELECT s.set_id, s.export, 3, 'Sound.Rate', 'Int', s.rate FROM x_sound s WHERE s.set_id = ?1 AND s.rate IS NOT NULL
		UNION ALL
		SELECT s.set_id, s.export, 4, 'Sound.Seconds', 'Double', round(s.duration, 3) FROM x_sound s WHERE s.set_id = ?1 AND s.duration IS NOT NULL
		UNION ALL
		SELECT s.set_id, s.export, 5, 'Sound.Bytes', 'Int64', s.bytes FROM x_sound s WHERE s.set_id = ?1 AND s.why_id IS NULL
	) k
	JOIN x_value_export x ON x.set_id = k.set_id AND x.ordinal = k.export
	JOIN x_name xc ON xc.name_id = x.class_id
	LEFT JOIN x_name xo ON xo.name_id = x.outer_path_id
	JOIN x_name xn ON xn.name_id = x.object_id
	ORDER BY k.export, k.place, k.field`
