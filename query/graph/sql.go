package graph

// All three yield: from path_id, from path, kind, space, key, to path_id, to
// path, status, weak, name.
const columns = `SELECT DISTINCT e.path_id, d.prefix || p.name, k.word, s.word, r.key,
	bs.path_id, td.prefix || tp.name,
	CASE WHEN r.flags & 2 THEN 'native' WHEN bs.present IS NOT 1 THEN 'missing'
	     WHEN bs.paths > 1 THEN 'ambiguous' ELSE 'resolved' END,
	r.flags & 1, n.name`

const ends = `
	CROSS JOIN word k ON k.word_id = r.kind_id
	CROSS JOIN word s ON s.word_id = r.space_id
	CROSS JOIN path p ON p.path_id = e.path_id
	CROSS JOIN dir d ON d.dir_id = p.dir_id
	LEFT JOIN name n ON n.name_id = r.name_id
	LEFT JOIN build_symbol bs ON bs.build_id = ?1 AND bs.space_id = r.space_id AND bs.key = r.key
	LEFT JOIN path tp ON tp.path_id = bs.path_id
	LEFT JOIN dir td ON td.dir_id = tp.dir_id`

// forward lists what the entries of path ?2 refer to.
const forward = columns + `
	FROM entry e
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	CROSS JOIN ref r ON r.content_id = e.content_id` + ends + `
	WHERE e.path_id = ?2
	ORDER BY ba.ordinal, e.row, r.seq`

// reversePath lists what refers to any key that stands for path ?2.
const reversePath = columns + `
	FROM build_symbol want
	CROSS JOIN ref_key rk ON rk.key = want.key
	CROSS JOIN ref r ON r.content_id = rk.content_id AND r.key = want.key AND r.space_id = want.space_id
	CROSS JOIN entry e ON e.content_id = rk.content_id
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1` + ends + `
	WHERE want.build_id = ?1 AND want.path_id = ?2
	ORDER BY 2, r.seq`

// reverseKey lists what refers to key ?2 in space ?3; any space when ?3 is empty.
const reverseKey = columns + `
	FROM ref_key rk
	CROSS JOIN ref r ON r.content_id = rk.content_id AND r.key = rk.key
	CROSS JOIN entry e ON e.content_id = rk.content_id
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1` + ends + `
	WHERE rk.key = ?2 AND (?3 = '' OR s.word = ?3)
	ORDER BY 2, r.seq`
