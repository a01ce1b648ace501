-- doc: entries of a build that another build, by default the one before, does not have
-- param: build build newest label of the build
-- param: old build previous label of the build to compare with
-- example: pakdb query --on clickhouse://localhost/game @added-in 1.52 1.48
SELECT path, asset_id, archive, size, stored, method, content
FROM entries
WHERE build = :build AND deleted = 0
  AND (path IS NOT NULL AND path NOT IN (
          SELECT path FROM entries WHERE build = :old AND deleted = 0 AND path IS NOT NULL)
       OR path IS NULL AND asset_id IS NOT NULL AND asset_id NOT IN (
          SELECT asset_id FROM entries WHERE build = :old AND deleted = 0 AND asset_id IS NOT NULL))
ORDER BY path NULLS FIRST, asset_id NULLS FIRST, archive, ordinal;
