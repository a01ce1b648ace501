-- Which problems concern an archive as a whole: such an archive lists less than
-- its maker put in, so that nothing may be concluded from what it lacks.
-- Serves: refuse to make a patch of a damaged build.
ALTER TABLE problem ADD COLUMN whole INTEGER NOT NULL DEFAULT 0; -- 1: yes

-- What scans before this column found: of the file itself, and entries that do not
-- lie within it. Contents that decode to fewer bytes are damage of an entry.
UPDATE problem
SET whole = 1
WHERE (ordinal IS NULL AND path IS NULL AND cause NOT LIKE 'departs from the format%'
           AND cause NOT LIKE 'not a known format%'
           AND NOT ((cause LIKE 'encrypted, and no key%' OR cause LIKE 'wrong key%')
               AND EXISTS (SELECT 1 FROM entry e WHERE e.archive_id = problem.archive_id)))
   OR (ordinal IS NOT NULL AND cause LIKE 'truncated%' AND cause NOT LIKE 'truncated: decodes to%');
