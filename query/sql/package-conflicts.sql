-- doc: Unreal packages that a build holds under one name with different contents; "ambiguous" where the mount order does not decide
-- param: build build newest label of the build
-- example: pakdb query @package-conflicts
WITH claim AS MATERIALIZED (
    SELECT es.key, es.space_id, es.name_id, es.archive_id, es.ordinal, e.content_id, e.path_id, e.size,
           ba.name AS archive, ba.mount_order, bs.path_id AS winner, bs.paths,
           rank() OVER (PARTITION BY es.key ORDER BY ba.mount_order DESC) AS place
    FROM build b
    CROSS JOIN build_archive ba ON ba.build_id = b.build_id
    CROSS JOIN entry_symbol es ON es.archive_id = ba.archive_id
    CROSS JOIN entry e ON e.archive_id = es.archive_id AND e.ordinal = es.ordinal
    JOIN build_symbol bs ON bs.build_id = b.build_id AND bs.space_id = es.space_id AND bs.key = es.key
    WHERE b.label = :build AND b.complete = 1
        AND es.space_id = (SELECT word_id FROM word WHERE word = 'package')
        AND e.content_id IS NOT NULL
)
SELECT n.name AS package,
       CASE WHEN claim.place > 1 THEN 'replaced' WHEN claim.paths > 1 THEN 'ambiguous' ELSE 'used' END AS status,
       claim.archive, d.prefix || p.name AS path, claim.mount_order, claim.size, lower(hex(c.hash)) AS content
FROM claim
JOIN name n ON n.name_id = claim.name_id
JOIN content c ON c.content_id = claim.content_id
LEFT JOIN path p ON p.path_id = claim.path_id
LEFT JOIN dir d ON d.dir_id = p.dir_id
WHERE claim.key IN (SELECT key FROM claim GROUP BY key HAVING count(DISTINCT content_id) > 1)
ORDER BY lower(n.name), claim.mount_order DESC, claim.archive, claim.ordinal;
