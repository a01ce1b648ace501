package side

// buildArchives lists what a build mounts.
const buildArchives = `SELECT a.archive_id, ba.ordinal, ba.place, a.entry_count, ba.name, a.format, a.mount_point, ba.last_wins, a.lineage_id, a.edition
	FROM x_build_archive ba
	JOIN x_archive a ON a.archive_id = ba.archive_id
	WHERE ba.build_id = ?1
	ORDER BY ba.ordinal`

// rowColumns are read where [rows] cannot be.
const rowColumns = `ba.ordinal, ` + entryColumns

const entryColumns = `e.path_id, e.content_id, e.stored, e.size, e.flags, e.method_id, e.type_id, e.mtime, e.row`

// chunkNames lists the chunks of a build that another archive gives a path: the
// archive, the entry, the path, and the archive that gives it, by ordinal.
const chunkNames = `SELECT mount, row, path_id, by_mount
	FROM x_build_name
	WHERE build_id = ?1`

// buildShadows lists what a game does not see of a build, and what hides it.
const buildShadows = "SELECT mount, row, by_mount, by_row FROM x_build_shadow WHERE build_id = ?1"

// buildRows lists the entries of the archives ?2, a JSON array of ordinals, of
// build ?1. Its order is that of the primary keys: to sort a million rows would
// take as long as to read them.
const buildRows = `
	FROM x_build_archive ba
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	WHERE ba.build_id = ?1 AND ba.ordinal IN (SELECT value FROM json_each(?2))
	ORDER BY ba.ordinal, e.row`

// someRows lists the entries ?3, a JSON array of ordinals, of archive ?2.
const someRows = `
	FROM json_each(?3) j
	CROSS JOIN x_build_archive ba ON ba.build_id = ?1 AND ba.ordinal = ?2
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id AND e.row = j.value
	ORDER BY j.key`

// nameless lists what stands for the names of entries without one, in the order
// of buildRows.
const nameless = `SELECT e.id_bits, e.id_hi, e.id_lo, e.path_hash` + `
	FROM x_build_archive ba
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	WHERE ba.build_id = ?1 AND ba.ordinal IN (SELECT value FROM json_each(?2)) AND e.path_id IS NULL
	ORDER BY ba.ordinal, e.row`

// entryIDs lists the ids and hashes of paths ?2 in the archives of a build.
const entryIDs = `SELECT e.path_id, ba.ordinal, e.id_bits, e.id_hi, e.id_lo, e.path_hash
	FROM json_each(?2) j
	CROSS JOIN x_entry e ON e.path_id = j.value
	CROSS JOIN x_build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	WHERE e.id_lo IS NOT NULL OR e.path_hash IS NOT NULL`

// rowIDs lists the same of all entries, in the order of buildRows; hasIDs tells
// whether that is worth it.
const (
	rowIDs = `SELECT e.id_bits, e.id_hi, e.id_lo, e.path_hash` + buildRows
	hasIDs = `SELECT EXISTS (SELECT 1
	FROM json_each(?2) j
	CROSS JOIN x_build_archive ba ON ba.build_id = ?1 AND ba.ordinal = j.value
	CROSS JOIN x_entry e ON e.archive_id = ba.archive_id
	WHERE e.id_lo IS NOT NULL OR e.path_hash IS NOT NULL)`
)
