package semantic

import (
	"context"
	"database/sql/driver"

	"pakdb/diff"
	"pakdb/diff/internal/side"
)

// localizedFields are the texts of a .locres, and the texts that they translate: by
// the hash that the file has of these, or the text where the native culture has one of
// that hash.
func localizedFields(s *Comparer, ctx context.Context, build int64, f *diff.File) ([]field, error) {
	var found bool
	err := s.each(ctx, "SELECT 1 FROM x_locres WHERE content_id = ?1", []driver.Value{f.ContentID}, func([]driver.Value) { found = true })
	if err != nil || !found {
		return nil, err
	}
	var all []field
	err = s.each(ctx, localizedTexts, []driver.Value{build, f.ContentID, f.Path}, func(v []driver.Value) {
		name := side.Text(v[0])
		all = append(all, field{name: name, value: valueText(v[1])})
		if v[2] != nil {
			all = append(all, field{name: name + " source", value: valueText(v[2]), of: name})
		}
	})
	return all, err
}

// localizedTexts yields name, text and source of each text of content ?2, the file ?3
// of build ?1. The native culture has no source.
const localizedTexts = `SELECT '[' || coalesce(f.culture, '?') || '] ' || ns.name || ',' || k.name,
		json_quote(x.name),
		CASE WHEN coalesce(f.native, 0) = 0 THEN coalesce((SELECT json_quote(sx.name)
			FROM x_localized_text s
			JOIN x_name sx ON sx.name_id = s.text_id
			WHERE s.content_id = f.source_content_id AND s.key_id = t.key_id AND s.namespace_id = t.namespace_id
				AND s.source_hash = t.source_hash
			LIMIT 1), printf('%08x', t.source_hash)) END
	FROM x_localized_text t
	JOIN x_name ns ON ns.name_id = t.namespace_id
	JOIN x_name k ON k.name_id = t.key_id
	LEFT JOIN x_name x ON x.name_id = t.text_id
	LEFT JOIN (SELECT culture, native, source_content_id
		FROM localized_files
		WHERE build_id = ?1 AND content_id = ?2 AND path = ?3
		LIMIT 1) f
	WHERE t.content_id = ?2
	ORDER BY t.seq`

// retroTexts yields the texts of an asset of Metroid Prime, by language.
const retroTexts = `SELECT '[' || l.word || '] ' || coalesce(k.name, r.number), json_quote(x.name)
	FROM x_retro_string r
	JOIN x_word l ON l.word_id = r.language_id
	LEFT JOIN x_name k ON k.name_id = r.key_id
	JOIN x_name x ON x.name_id = r.text_id
	WHERE r.content_id = ?2
	ORDER BY r.seq`
