package semantic

import (
	"context"
	"database/sql/driver"
	"strconv"

	"pakdb/diff"
	"pakdb/diff/internal/side"
)

// The queries below yield the fields of content ?2 in build ?1: a name, and a
// value. Ids are shown by the path they mean in that build.

// settings are those of an .ini: a key with its value, or what is done to a list, or a
// line that is neither. Sections and keys have no case. A text of such lines alone is no .ini, whatever its name.
const settings = `SELECT '[' || s.name || '] ' || CASE
			WHEN k.name = '' THEN v.name
			WHEN c.op = '' THEN k.name
			ELSE c.op || k.name || '=' || v.name
		END,
		CASE WHEN k.name = '' THEN 'yes' WHEN c.op = '' THEN v.name ELSE 'set' END,
		'[' || lower(s.name) || '] ' || CASE
			WHEN k.name = '' THEN v.name
			WHEN c.op = '' THEN lower(k.name)
			ELSE c.op || lower(k.name) || '=' || v.name
		END
	FROM x_config_line c
	JOIN x_name s ON s.name_id = c.section_id
	JOIN x_name k ON k.name_id = c.key_id
	JOIN x_name v ON v.name_id = c.value_id
	WHERE c.content_id = ?2
		AND EXISTS (SELECT 1 FROM x_config_line o JOIN x_name n ON n.name_id = o.key_id WHERE o.content_id = ?2 AND n.name <> '')
	ORDER BY c.seq`

const curvePoints = `SELECT 'point ' || (c.start + j.key), j.value
	FROM x_calligraphy_curve c
	JOIN json_each(c.points) j
	WHERE c.content_id = ?2`

const typeAssets = `SELECT 'asset ' || printf('%016x', a.guid), a.name || CASE a.flags WHEN 0 THEN '' ELSE ', flags ' || a.flags END
	FROM x_calligraphy_asset a
	WHERE a.content_id = ?2
	ORDER BY a.seq`

const blueprintFields = `SELECT 'runtime class', b.runtime_class
	FROM x_calligraphy_blueprint b
	WHERE b.content_id = ?2
	UNION ALL
	SELECT 'defaults', ` + "coalesce((" + pathOfSymbol + ` AND bs.key = b.default_id), printf('%016x', b.default_id))
	FROM x_calligraphy_blueprint b
	WHERE b.content_id = ?2
	UNION ALL
	SELECT 'member ' || m.name, m.type || CASE m.list WHEN 1 THEN ' list' ELSE '' END
		|| CASE m.subtype WHEN 0 THEN '' ELSE ' of ' || coalesce((` + pathOfSymbol + ` AND bs.key = m.subtype), printf('%016x', m.subtype)) END
	FROM x_calligraphy_member m
	WHERE m.content_id = ?2`

// pathOfSymbol finds a path by a key in any space.
const pathOfSymbol = `SELECT d.prefix || p.name
	FROM x_build_symbol bs
	JOIN x_path p ON p.path_id = bs.path_id
	JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE bs.build_id = ?1 AND bs.space_id IN (SELECT word_id FROM x_word)`

const directoryRecords = `SELECT 'record ' || printf('%016x', r.guid),
		d.prefix || p.name || ', id ' || printf('%016x', r.id)
		|| CASE r.blueprint WHEN 0 THEN '' ELSE ', blueprint ' || printf('%016x', r.blueprint) END || ', flags ' || r.flags
	FROM x_calligraphy_record r
	JOIN x_path p ON p.path_id = r.path_id
	JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE r.content_id = ?2
	ORDER BY r.seq`

const replacements = `SELECT 'replacement of ' || printf('%016x', r.old_guid), printf('%016x', r.new_guid) || ' ' || r.name
	FROM x_calligraphy_replacement r
	WHERE r.content_id = ?2
	ORDER BY r.seq`

// references are reported of contents whose values do not show them already.
const references = `SELECT DISTINCT k.word || ' ' || coalesce(d.prefix || p.name, s.word || ':' || printf('%016x', r.key)),
		CASE r.flags & 1 WHEN 1 THEN 'weak' ELSE 'yes' END
	FROM x_ref r
	JOIN x_word k ON k.word_id = r.kind_id
	JOIN x_word s ON s.word_id = r.space_id
	LEFT JOIN x_build_symbol bs ON bs.build_id = ?1 AND bs.space_id = r.space_id AND bs.key = r.key
	LEFT JOIN x_path p ON p.path_id = bs.path_id
	LEFT JOIN x_dir d ON d.dir_id = p.dir_id
	WHERE r.content_id = ?2 AND NOT EXISTS (SELECT 1 FROM x_calligraphy_value v WHERE v.content_id = ?2)
		AND NOT EXISTS (SELECT 1 FROM x_package k WHERE k.content_id = ?2)
	ORDER BY r.seq`

// prototypeValues yields ordinal, owner, blueprint, copy, position, name of the
// field, value.
const prototypeValues = `SELECT v.ordinal, v.owner, f.blueprint, f.copy, v.position,
		coalesce((SELECT m.name FROM x_calligraphy_member m WHERE m.field = f.field AND m.content_id IN (
			SELECT e.content_id
			FROM x_build_symbol bs
			JOIN x_entry e ON e.path_id = bs.path_id
			JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
			WHERE bs.build_id = ?1 AND bs.key = f.blueprint
				AND bs.space_id = (SELECT word_id FROM x_word WHERE word = 'blueprint')) LIMIT 1),
			printf('%016x', f.field)),
		CASE
			WHEN v.value IS NULL THEN 'empty list'
			WHEN v.type IN ('B', 'D', 'L') THEN v.value
			WHEN v.type = 'A' THEN coalesce((SELECT a.name FROM x_calligraphy_asset a WHERE a.id = v.value LIMIT 1), printf('%016x', v.value))
			WHEN v.value = 0 THEN 'none'
			ELSE coalesce((SELECT d.prefix || p.name
				FROM x_build_symbol bs
				JOIN x_path p ON p.path_id = bs.path_id
				JOIN x_dir d ON d.dir_id = p.dir_id
				WHERE bs.build_id = ?1 AND bs.key = v.value AND bs.space_id = (SELECT word_id FROM x_word
					WHERE word = CASE v.type WHEN 'C' THEN 'curve' WHEN 'T' THEN 'asset_type' ELSE 'prototype' END)),
				printf('%016x', v.value))
		END
	FROM x_calligraphy_value v
	JOIN x_calligraphy_field f ON f.member_id = v.member_id
	WHERE v.content_id = ?2
	ORDER BY v.ordinal`

// prototypeFields names the values of a Marvel Heroes prototype by the field, the
// place in a list, and the value that holds the body they are in:
// "Powers[2].Damage". Copies of a mixin are distinguished by their number, and so
// are blueprints that declare a field of the same name.
func (s *Comparer) prototypeFields(ctx context.Context, build int64, f *diff.File) ([]field, error) {
	type key struct {
		owner, copy int64
		name        string
	}
	first := map[key]int64{} // the blueprint that a name was seen with first
	names := map[int64]string{}
	var fields []field
	err := s.each(ctx, prototypeValues, []driver.Value{build, f.ContentID}, func(v []driver.Value) {
		owner := int64(-1)
		name := side.Text(v[5])
		if v[1] != nil {
			owner = side.Integer(v[1])
		}
		blueprint, copies := side.Integer(v[2]), side.Integer(v[3])
		k := key{owner: owner, copy: copies, name: name}
		if other, seen := first[k]; !seen {
			first[k] = blueprint
		} else if other != blueprint {
			name += "@" + strconv.FormatUint(uint64(blueprint), 16)
		}
		if copies != 0 {
			name += "#" + strconv.FormatInt(copies, 10)
		}
		if v[4] != nil {
			name += "[" + strconv.FormatInt(side.Integer(v[4]), 10) + "]"
		}
		if owner >= 0 {
			name = names[owner] + "." + name
		}
		names[side.Integer(v[0])] = name
		fields = append(fields, field{name: name, value: valueText(v[6])})
	})
	return fields, err
}
