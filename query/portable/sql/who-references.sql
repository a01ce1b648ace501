-- doc: what refers to an entry or an id, one row per reference
-- param: target text - path of an entry, the name of a package, or an id of 16 hex digits
-- param: build build newest label of the build
-- example: pakdb query --on clickhouse://localhost/game @who-references Calligraphy/Powers/Blueprints/Power.blueprint
SELECT DISTINCT path, kind, target_kind, archive, weak
FROM dependencies
WHERE build = :build AND (target_path = :target OR target = :target)
ORDER BY path NULLS FIRST, kind, target_kind, archive, weak;
