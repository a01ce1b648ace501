package show

// All three yield: from path_id, from path, kind, space, key, to path_id, to
// path, status, weak, name.
const columns = `SELECT DISTINCT e.path_id, d.prefix || p.name, k.word, s.word, r.key,
	bs.path_id, td.prefix || tp.name,
	CASE WHEN r.flags & 2 THEN 'native' WHEN bs.present IS NOT 1 THEN 'missing'
	     WHEN bs.paths > 1 THEN 'ambiguous' ELSE 'resolved' END,
	r.flags & 1, n.name`

const ends = `
	CROSS JOIN x_word k ON k.word_id = r.kind_id
	CROSS JOIN x_word s ON s.word_id = r.space_id
	CROSS JOIN x_path p ON p.path_id = e.path_id
	CROSS JOIN x_dir d ON d.dir_id = p.dir_id
	LEFT JOIN x_name n ON n.name_id = r.name_id
	LEFT JOIN x_build_symbol bs ON bs.build_id = ?1 AND bs.space_id = r.space_id AND bs.key = r.key
	LEFT JOIN x_path tp ON tp.path_id = bs.path_id
	LEFT JOIN x_dir td ON td.dir_id = tp.dir_id`

// forward lists what the entries of path ?2 refer to.
const forward = columns + `
	FROM x_entry e
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	CROSS JOIN x_ref r ON r.content_id = e.content_id` + ends + `
	WHERE e.path_id = ?2
	ORDER BY ba.ordinal, e.row, r.seq`

// reversePath lists the references to any key that means path ?2.
const reversePath = columns + `
	FROM x_build_symbol want
	CROSS JOIN x_ref_key rk ON rk.key = want.key
	CROSS JOIN x_ref r ON r.content_id = rk.content_id AND r.key = want.key AND r.space_id = want.space_id
	CROSS JOIN x_entry e ON e.content_id = rk.content_id
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1` + ends + `
	WHERE want.build_id = ?1 AND want.path_id = ?2
	ORDER BY 2, r.seq`

// reverseKey lists what refers to key ?2 in space ?3; any space when ?3 is empty.
const reverseKey = columns + `
	FROM x_ref_key rk
	CROSS JOIN x_ref r ON r.content_id = rk.content_id AND r.key = rk.key
	CROSS JOIN x_entry e ON e.content_id = rk.content_id
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1` + ends + `
	WHERE rk.key = ?2 AND (?3 = '' OR s.word = ?3)
	ORDER BY 2, r.seq`

// The dependencies of packages that asset registries list are edges as well. A registry
// must be in an archive of the build.
const registryColumns = `SELECT DISTINCT fs.path_id, fd.prefix || fp.name,
	CASE r.kind WHEN 2 THEN 'registry_manage' ELSE CASE WHEN r.flags & 1 THEN 'registry_hard' ELSE 'registry_soft' END END,
	'package', r.to_key, ts.path_id, td.prefix || tp.name,
	CASE WHEN n.name GLOB '/Script/*' THEN 'native' WHEN ts.present IS NOT 1 THEN 'missing'
	     WHEN ts.paths > 1 THEN 'ambiguous' ELSE 'resolved' END,
	0, n.name`

// registryEnds makes rows of registry_dependency edges.
const registryEnds = `
	CROSS JOIN x_entry e ON e.content_id = r.content_id
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	CROSS JOIN x_build_symbol fs ON fs.build_id = ?1 AND fs.key = r.from_key
		AND fs.space_id = (SELECT word_id FROM x_word WHERE word = 'package')
	CROSS JOIN x_path fp ON fp.path_id = fs.path_id
	CROSS JOIN x_dir fd ON fd.dir_id = fp.dir_id
	CROSS JOIN x_name n ON n.name_id = r.to_id
	LEFT JOIN x_build_symbol ts ON ts.build_id = ?1 AND ts.space_id = fs.space_id AND ts.key = r.to_key
	LEFT JOIN x_path tp ON tp.path_id = ts.path_id
	LEFT JOIN x_dir td ON td.dir_id = tp.dir_id
	WHERE r.kind <> 1`

// registryForward lists what the package of path ?2 needs.
const registryForward = registryColumns + `
	FROM x_build_symbol want
	CROSS JOIN x_registry_dependency r ON r.from_key = want.key` + registryEnds + `
		AND want.build_id = ?1 AND want.path_id = ?2 AND want.space_id = fs.space_id
	ORDER BY 3, 10`

// registryReversePath lists the packages that need the package of path ?2.
const registryReversePath = registryColumns + `
	FROM x_build_symbol want
	CROSS JOIN x_registry_dependency r ON r.to_key = want.key` + registryEnds + `
		AND want.build_id = ?1 AND want.path_id = ?2 AND want.space_id = fs.space_id
	ORDER BY 2, 3`

// registryReverseKey lists the packages that need the package of key ?2.
const registryReverseKey = registryColumns + `
	FROM x_registry_dependency r` + registryEnds + `
		AND r.to_key = ?2 AND ?3 IN ('', 'package')
	ORDER BY 2, 3`
