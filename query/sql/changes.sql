-- doc: entries that changed between two builds, by default the newest and the one before
-- param: build build newest label of the new build
-- param: old build previous label of the old build
-- bytes: old_size, new_size, download
-- example: pakdb query @changes
-- example: pakdb query @changes 1.52 1.48 --format csv
SELECT kind, path, old_size, new_size, download
FROM diff(:old, :build)
ORDER BY kind, path;
