-- Where the entries of an archive stand in the game's file system: the mount point
-- without what leads to the game's root, dots resolved, with a slash at its end.
ALTER TABLE archive ADD COLUMN game_root TEXT NOT NULL DEFAULT ''; -- "" for the root
UPDATE archive SET game_root = root_of_mount(mount_point);
