package diff

// buildArchives lists what a build mounts.
const buildArchives = `SELECT a.archive_id, ba.ordinal, ba.place, a.entry_count, ba.name, a.format, a.mount_point, ba.last_wins, a.lineage_id, a.edition
	FROM build_archive ba
	JOIN archive a ON a.archive_id = ba.archive_id
	WHERE ba.build_id = ?1
	ORDER BY ba.ordinal`

// rowColumns are few because each costs as much as the reading of a row does.
// Times are read only when they are compared.
const rowColumns = `ba.ordinal, e.path_id, e.content_id, e.stored, e.size,
	e.flags | (e.method_id << 8) | (coalesce(e.type_id, 0) << 32)`

// chunkNames lists the chunks of a build that another archive gives a path: the
// archive, the entry, the path, and the archive that gives it, by ordinal.
const chunkNames = `SELECT mount, row, path_id, by_mount
	FROM build_name
	WHERE build_id = ?1`

// buildShadows lists what a game does not see of a build, and what hides it.
const buildShadows = "SELECT mount, row, by_mount, by_row FROM build_shadow WHERE build_id = ?1"

// buildRows lists the entries of the archives ?2, a JSON array of ordinals, of
// build ?1. Its order is that of the primary keys: to sort a million rows would
// take as long as to read them.
const buildRows = `
	FROM build_archive ba
	CROSS JOIN entry e ON e.archive_id = ba.archive_id
	WHERE ba.build_id = ?1 AND ba.ordinal IN (SELECT value FROM json_each(?2))
	ORDER BY ba.ordinal, e.row`

// someRows lists the entries ?3, a JSON array of ordinals, of archive ?2.
const someRows = `
	FROM json_each(?3) j
	CROSS JOIN build_archive ba ON ba.build_id = ?1 AND ba.ordinal = ?2
	CROSS JOIN entry e ON e.archive_id = ba.archive_id AND e.row = j.value
	ORDER BY j.key`

// nameless lists what stands for the names of entries without one, in the order
// of buildRows.
const nameless = `SELECT e.id_bits, e.id_hi, e.id_lo, e.path_hash` + `
	FROM build_archive ba
	CROSS JOIN entry e ON e.archive_id = ba.archive_id
	WHERE ba.build_id = ?1 AND ba.ordinal IN (SELECT value FROM json_each(?2)) AND e.path_id IS NULL
	ORDER BY ba.ordinal, e.row`

// The look-ups of many ids at once: ids are few and far between, or a whole range.
const (
	someIDs  = "json_each(?1) j CROSS JOIN "
	pathsSQL = `SELECT p.path_id, p.dir_id, p.name FROM `
	hashSQL  = `SELECT c.content_id, c.hash FROM `
	sketches = `SELECT c.content_id, c.sketch FROM `
)

// pathsByKey finds paths by their keys.
const pathsByKey = `SELECT p.path_id, d.prefix || p.name
	FROM json_each(?1) j
	CROSS JOIN path_key k ON k.key = j.value
	CROSS JOIN path p ON p.path_id = k.path_id
	CROSS JOIN dir d ON d.dir_id = p.dir_id`

// contentsHeld lists which of the contents ?2 a build holds.
const contentsHeld = `SELECT DISTINCT e.content_id
	FROM json_each(?2) j
	CROSS JOIN entry e ON e.content_id = j.value
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1`

// recordGUIDs lists the GUIDs that Marvel Heroes' directories of a build give
// paths ?2.
const recordGUIDs = `SELECT r.path_id, r.guid, r.space_id
	FROM json_each(?2) j
	CROSS JOIN calligraphy_record r ON r.path_id = j.value
	WHERE EXISTS (SELECT 1
	              FROM entry e
	              JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	              WHERE e.content_id = r.content_id` + andSeen + `)`

// andSeen leaves entries e of archives ba out that the game does not see.
const andSeen = ` AND NOT EXISTS (SELECT 1
	                                FROM build_shadow s
	                                WHERE s.build_id = ba.build_id AND s.mount = ba.ordinal AND s.row = e.row)`

// recordDirectories lists the contents with records that a game sees in build ?1.
var recordDirectories = seenContents("calligraphy_record", "SELECT one.id FROM one")

// seenContents is a query over one(id): those contents with rows in a table that a
// game sees in build ?1. They are few among many rows: one is found from the one
// before.
func seenContents(table, query string) string {
	return "WITH RECURSIVE every(id) AS (SELECT min(content_id) FROM " + table + `
		UNION ALL
		SELECT (SELECT min(content_id) FROM ` + table + ` WHERE content_id > every.id) FROM every WHERE every.id IS NOT NULL
	), one AS MATERIALIZED (
		SELECT id
		FROM every
		WHERE EXISTS (SELECT 1
		              FROM entry e
		              JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
		              WHERE e.content_id = every.id` + andSeen + `)
		ORDER BY id
	)
	` + query
}

// recordsApart lists what directories ?1, a JSON array of contents, say and
// directories ?2 do not.
const recordsApart = `SELECT path_id, space_id, guid
	FROM calligraphy_record
	WHERE content_id IN (SELECT value FROM json_each(?1))
	EXCEPT
	SELECT path_id, space_id, guid
	FROM calligraphy_record
	WHERE content_id IN (SELECT value FROM json_each(?2))`

// replacedGUIDs lists which GUIDs a build says took the place of others.
var replacedGUIDs = seenContents("calligraphy_replacement", `SELECT DISTINCT r.old_guid, r.last_guid
	FROM one
	CROSS JOIN calligraphy_replacement r ON r.content_id = one.id AND r.last_guid <> 0`)

// entryIDs lists the ids and hashes of paths ?2 in a build.
const entryIDs = `SELECT e.path_id, e.id_bits, e.id_hi, e.id_lo, e.path_hash
	FROM json_each(?2) j
	CROSS JOIN entry e ON e.path_id = j.value
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id AND ba.build_id = ?1
	WHERE e.id_lo IS NOT NULL OR e.path_hash IS NOT NULL`

// rowIDs lists the same of all entries, in the order of buildRows; hasIDs tells
// whether that is worth it.
const (
	rowIDs = `SELECT e.id_bits, e.id_hi, e.id_lo, e.path_hash` + buildRows
	hasIDs = `SELECT EXISTS (SELECT 1
	FROM json_each(?2) j
	CROSS JOIN build_archive ba ON ba.build_id = ?1 AND ba.ordinal = j.value
	CROSS JOIN entry e ON e.archive_id = ba.archive_id
	WHERE e.id_lo IS NOT NULL OR e.path_hash IS NOT NULL)`
)

// publicNames lists the names that archives ?2 give entries, with the paths of
// those entries.
const publicNames = `SELECT DISTINCT e.path_id, n.name
	FROM json_each(?2) j
	CROSS JOIN build_archive ba ON ba.build_id = ?1 AND ba.ordinal = j.value
	CROSS JOIN named_resource n ON n.archive_id = ba.archive_id
	CROSS JOIN entry e ON e.archive_id = n.archive_id AND e.id_lo = n.id_lo AND e.id_hi IS n.id_hi AND e.type_id = n.type_id
	ORDER BY e.path_id, n.name`

// pathsOfBuild lists the paths of all entries of a build.
const pathsOfBuild = `SELECT d.prefix || p.name
	FROM build b
	CROSS JOIN build_archive ba ON ba.build_id = b.build_id
	CROSS JOIN entry e ON e.archive_id = ba.archive_id
	CROSS JOIN path p ON p.path_id = e.path_id
	CROSS JOIN dir d ON d.dir_id = p.dir_id
	WHERE b.label = ?1 AND b.complete = 1`
