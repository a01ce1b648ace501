-- A scan looks up the archives of earlier builds that had the name of each of its own.
CREATE INDEX build_archive_name ON build_archive (name);
