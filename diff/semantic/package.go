package semantic

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"pakdb/diff"
	"pakdb/diff/internal/side"
	"pakdb/diff/internal/values"
	"pakdb/internal/asset"
)

// packageFields reports what an Unreal package, legacy or Zen, is made of: its
// summary, names, imports, exports and what it depends on. An export is known by
// its path in the package and compared by class, size and the hash of its bytes,
// so that one which only moved has not changed. A .uexp has the fields of the
// package that it belongs to.
func (s *Comparer) packageFields(ctx context.Context, build int64, f *diff.File) ([]field, error) {
	header, body, err := s.splitFiles(ctx, build, f)
	if err != nil || header == nil {
		return nil, err
	}
	if found, err := s.isPackage(ctx, header.ContentID); err != nil || !found {
		return nil, err
	}
	sums, err := s.exportSums(ctx, header, body)
	if err != nil {
		return nil, err
	}
	var all []field
	for _, query := range []string{packageSummary, packageNames, packageImports} {
		fields, err := fromQuery(query)(s, ctx, build, header)
		if err != nil {
			return nil, err
		}
		all = append(all, fields...)
	}
	err = s.each(ctx, packageExports, []driver.Value{build, header.ContentID}, func(v []driver.Value) {
		all = append(all, exportFields(v, sums)...)
	})
	if err != nil {
		return nil, err
	}
	depends, err := fromQuery(packageDepends)(s, ctx, build, header)
	all = append(all, depends...)
	for i := range all {
		f := &all[i]
		f.key, f.same, f.of = values.Fold(f.name), values.Fold(f.value), values.Fold(f.of)
	}
	return all, err
}

// exportFields takes a row of packageExports: ordinal, path, class, super, size,
// flags.
func exportFields(v []driver.Value, sums []byte) []field {
	name, class, size := "export "+side.Text(v[1]), side.Text(v[2]), side.Integer(v[4])
	fields := []field{
		{name: name, value: class, whole: class + ", " + plainBytes(size)},
		{name: name + " super", value: valueText(v[3]), of: name},
		{name: name + " flags", value: fmt.Sprintf("%#x", side.Integer(v[5])), of: name},
		{name: name + " size", value: valueText(v[4]), of: name},
	}
	if at := side.Integer(v[0]) * 8; size > 0 && at >= 0 && at <= int64(len(sums))-8 {
		fields = append(fields, field{name: name + " bytes", value: hex.EncodeToString(sums[at : at+8]), of: name})
	}
	return fields
}

// splitFiles returns the file with the tables, and the .uexp where there is one.
func (s *Comparer) splitFiles(ctx context.Context, build int64, f *diff.File) (header, body *diff.File, err error) {
	switch _, _, part := asset.Split(f.Path); part {
	case asset.Header:
		split := false // others are not looked for: few packages of a build may have one
		err = s.each(ctx, "SELECT traits & 4 <> 0 FROM x_package WHERE content_id = ?1", []driver.Value{f.ContentID},
			func(v []driver.Value) { split = side.Integer(v[0]) != 0 })
		if err == nil && split {
			body, err = s.findPart(ctx, build, f.Path, ".uexp")
		}
		return f, body, err
	case asset.Body:
		if header, err = s.findPart(ctx, build, f.Path, asset.Headers("")...); header == nil {
			return nil, nil, err
		}
		return header, f, nil
	}
	return f, nil, nil
}

// findPart is [diff.FindPart] in a build, which is one of the two; nil where it has none.
func (s *Comparer) findPart(ctx context.Context, build int64, path string, exts ...string) (*diff.File, error) {
	label := s.NewBuild
	if build == s.oldID {
		label = s.OldBuild
	}
	f, err := diff.FindPart(ctx, s.statements(), label, path, exts...)
	if errors.Is(err, diff.ErrNoFile) {
		return nil, nil
	}
	return f, err
}

func (s *Comparer) isPackage(ctx context.Context, content int64) (found bool, err error) {
	err = s.each(ctx, "SELECT 1 FROM x_package WHERE content_id = ?1", []driver.Value{content}, func([]driver.Value) { found = true })
	return found, err
}

// exportSums returns 8 bytes for each export, nil where they are not known.
func (s *Comparer) exportSums(ctx context.Context, header, body *diff.File) (sums []byte, err error) {
	content, key := header.ContentID, int64(0)
	if body != nil {
		digest, err := hex.DecodeString(header.Content)
		if err != nil || len(digest) < 8 {
			return nil, nil
		}
		content, key = body.ContentID, int64(binary.LittleEndian.Uint64(digest))
	}
	err = s.each(ctx, "SELECT exports FROM x_package_digest WHERE content_id = ?1 AND header = ?2", []driver.Value{content, key},
		func(v []driver.Value) {
			b, _ := v[0].([]byte)
			sums = append([]byte(nil), b...)
		})
	return sums, err
}

// bulkChanges reports the files of an asset that have no facts.
func bulkChanges(c *diff.Change) (changes []Field) {
	for _, p := range c.Parts {
		if _, _, part := asset.Split("a" + p.Ext); part != asset.Bulk {
			continue
		}
		fc := Field{Name: "file " + strings.ToLower(p.Ext), Technical: true}
		old, new := plainBytes(p.OldSize), plainBytes(p.NewSize)
		if p.Kind != diff.Added {
			fc.Old = &old
		}
		if p.Kind != diff.Removed {
			fc.New = &new
		}
		changes = append(changes, fc)
	}
	return changes
}

func plainBytes(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// packageSummary leaves out what follows from the rest: offsets, counts.
const packageSummary = `SELECT f.value ->> 0, f.value ->> 1
	FROM x_package k
	LEFT JOIN x_word e ON e.word_id = k.engine_id
	LEFT JOIN x_word c ON c.word_id = k.compression_id
	LEFT JOIN x_name n ON n.name_id = k.name_id
	CROSS JOIN json_each(json_array(
		json_array('engine', e.word), json_array('version', k.version), json_array('version5', k.version5),
		json_array('licensee', k.licensee), json_array('engine version', k.engine_version),
		json_array('compatible engine', k.compatible_engine), json_array('cooker version', k.cooker_version),
		json_array('package flags', printf('0x%x', k.flags)), json_array('package name', n.name), json_array('compression', c.word),
		json_array('guid', hex(k.guid)), json_array('persistent guid', hex(k.persistent_guid)),
		json_array('saved hash', hex(k.saved_hash)))) f
	WHERE k.content_id = ?2`

const packageNames = `SELECT 'name ' || n.name, 'yes'
	FROM x_package_name k
	JOIN x_name n ON n.name_id = k.name_id
	WHERE k.content_id = ?2
	GROUP BY n.name COLLATE NOCASE
	ORDER BY min(k.ordinal)`

const packageImports = `SELECT 'import ' || coalesce(o.name, '') || n.name || coalesce('_' || k.number, ''),
		cp.name || '.' || cn.name || CASE k.flags & 2 WHEN 2 THEN ', editor only' ELSE '' END
			|| CASE k.flags & 4 WHEN 4 THEN ', optional' ELSE '' END
	FROM x_package_import k
	JOIN x_name n ON n.name_id = k.object_id
	JOIN x_name cp ON cp.name_id = k.class_package_id
	JOIN x_name cn ON cn.name_id = k.class_id
	LEFT JOIN x_name o ON o.name_id = k.outer_path_id
	WHERE k.content_id = ?2
	ORDER BY k.ordinal`

const packageExports = `SELECT k.ordinal, coalesce(o.name, '') || n.name || coalesce('_' || k.number, ''), cn.name, sn.name, k.size, k.flags
	FROM x_package_export k
	JOIN x_name n ON n.name_id = k.object_id
	JOIN x_name cn ON cn.name_id = k.class_id
	LEFT JOIN x_name sn ON sn.name_id = k.super_id
	LEFT JOIN x_name o ON o.name_id = k.outer_path_id
	WHERE k.content_id = ?2
	ORDER BY k.ordinal`

// packageDepends reports each package that is depended on, and in which ways.
const packageDepends = `SELECT 'depends on ' || target, group_concat(kind, ', ')
	FROM (
		SELECT DISTINCT coalesce(n.name, d.prefix || p.name, s.word || ':' || printf('%016x', r.key)) COLLATE NOCASE AS target, k.word AS kind
		FROM x_ref r
		JOIN x_word k ON k.word_id = r.kind_id
		JOIN x_word s ON s.word_id = r.space_id
		LEFT JOIN x_name n ON n.name_id = r.name_id
		LEFT JOIN x_build_symbol bs ON bs.build_id = ?1 AND bs.space_id = r.space_id AND bs.key = r.key
		LEFT JOIN x_path p ON p.path_id = bs.path_id
		LEFT JOIN x_dir d ON d.dir_id = p.dir_id
		WHERE r.content_id = ?2
		ORDER BY 1, 2)
	GROUP BY target
	ORDER BY target`
