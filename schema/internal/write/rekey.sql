-- Adds what the key tables lack. Ids are handed out in ascending order, and keys
-- are added for all rows at once that have none: what lacks its key has a higher
-- id than whatever has one.
INSERT OR IGNORE INTO x_ref_key (key, content_id)
SELECT key, content_id
FROM x_ref
WHERE content_id > (SELECT coalesce(max(content_id), 0) FROM x_content_key)
ORDER BY key, content_id;

INSERT INTO x_content_key (key, content_id)
SELECT key_of_content(hash) AS key, content_id
FROM x_content
WHERE content_id > (SELECT coalesce(max(content_id), 0) FROM x_content_key)
ORDER BY key, content_id;

INSERT INTO x_path_key (key, path_id)
SELECT key_of_path(d.prefix || p.name) AS key, p.path_id
FROM x_path p
JOIN x_dir d ON d.dir_id = p.dir_id
WHERE p.path_id > (SELECT coalesce(max(path_id), 0) FROM x_path_key)
ORDER BY key, p.path_id;

INSERT INTO x_name_key (key, name_id)
SELECT key_of_name(name) AS key, name_id
FROM x_name
WHERE name_id > (SELECT coalesce(max(name_id), 0) FROM x_name_key)
ORDER BY key, name_id;
