-- doc: packages that an asset registry and the build disagree about: listed and not there, there and not listed, or of another size
-- param: build build newest label of the build
-- bytes: disk_size, size
-- example: pakdb query @registry-conflicts
WITH listed AS MATERIALIZED (
    SELECT package, package_key, disk_size, package_path_id, archive AS registry
    FROM asset_packages
    WHERE build = :build
), held AS MATERIALIZED (
    SELECT k.package, key_of_name(k.package) AS key, k.path, e.size
    FROM packages k
    JOIN x_entry e ON e.archive_id = k.archive_id AND e.row = k.row_id
    WHERE k.build = :build AND k.package IS NOT NULL
)
SELECT l.package, 'not in the build' AS conflict, NULL AS path, l.disk_size, NULL AS size
FROM listed l
WHERE l.disk_size >= 0 AND l.package NOT LIKE '/Script/%' AND l.package_key NOT IN (SELECT key FROM held)
UNION ALL
SELECT h.package, 'not in the registry', h.path, NULL, h.size
FROM held h
WHERE EXISTS (SELECT 1 FROM listed) AND h.key NOT IN (SELECT package_key FROM listed)
UNION ALL
SELECT h.package, 'larger than the registry says', h.path, l.disk_size, h.size
FROM listed l
JOIN held h ON h.key = l.package_key
WHERE l.disk_size >= 0 AND h.size > l.disk_size
ORDER BY 2, 1;
