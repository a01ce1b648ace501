-- Serves: the paths of a folder.
CREATE INDEX path_dir ON path (dir_id);
