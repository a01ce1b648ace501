-- The content of an entry filled up to the boundary of its archive, in formats
-- that store contents without their true length: BLAKE3, 32 bytes. A copy that
-- is stored compressed and one that is not agree in it. NULL: lengths are exact.
ALTER TABLE entry ADD COLUMN padded BLOB;
