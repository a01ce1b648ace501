-- doc: Unreal packages that a build holds under one name with different contents; "ambiguous" where the mount order does not decide
-- param: build build newest label of the build
-- bytes: size
-- example: pakdb query @package-conflicts
WITH claim AS MATERIALIZED (
    SELECT k.package, key_of_name(k.package) AS key, k.archive, k.path, ba.mount_order, e.size, k.content_id, k.build_id, k.entry,
           rank() OVER (PARTITION BY key_of_name(k.package) ORDER BY ba.mount_order DESC) AS place
    FROM packages k
    JOIN x_build_archive ba ON ba.build_id = k.build_id AND ba.archive_id = k.archive_id AND ba.name = k.archive
    JOIN x_entry e ON e.archive_id = k.archive_id AND e.row = k.row_id
    WHERE k.build = :build AND k.package IS NOT NULL
), conflict AS (
    SELECT key, count(DISTINCT CASE WHEN place = 1 THEN content_id END) AS first
    FROM claim
    GROUP BY key
    HAVING count(DISTINCT content_id) > 1
)
SELECT claim.package,
       CASE WHEN claim.place > 1 THEN 'replaced' WHEN conflict.first > 1 THEN 'ambiguous' ELSE 'used' END AS status,
       claim.archive, claim.mount_order, claim.size
FROM conflict
JOIN claim ON claim.key = conflict.key
ORDER BY lower(claim.package), claim.mount_order DESC, claim.archive, claim.entry;
