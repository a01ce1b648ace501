package diff

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"pakdb/schema"
)

// ErrNoFile means that a build has no entry of a path.
var ErrNoFile = errors.New("no such entry in the build")

// Find returns the entry that a path stands for in a build, after mounting.
func Find(ctx context.Context, db *sql.DB, label, path string) (*File, error) {
	var f File
	var hash []byte
	var deleted bool
	err := db.QueryRowContext(ctx, winnerSQL, label, schema.PathKey(path), path).Scan(&f.path, &f.content, &f.archive, &f.Archive,
		&f.Type, &f.Method, &f.Flags, &f.Size, &f.Stored, &hash, &f.Copies, &deleted)
	if errors.Is(err, sql.ErrNoRows) || err == nil && deleted {
		return nil, fmt.Errorf("%w: %q in %q", ErrNoFile, path, label)
	}
	f.Path, f.Content = path, hex.EncodeToString(hash)
	return &f, err
}

// winnerSQL finds the entry of path ?3, whose key is ?2, that is on top in build
// ?1. Mount points do not count here: the path is the one that is stored.
const winnerSQL = `SELECT e.path_id, coalesce(e.content_id, 0), e.archive_id, ba.name, coalesce(t.word, ''), m.word,
		e.flags, e.size, e.stored, c.hash, sum(e.flags & 2 = 0) OVER (), e.flags & 2 <> 0
	FROM path_key k
	CROSS JOIN path p ON p.path_id = k.path_id
	CROSS JOIN dir d ON d.dir_id = p.dir_id
	CROSS JOIN entry e ON e.path_id = p.path_id
	CROSS JOIN build_archive ba ON ba.archive_id = e.archive_id
	CROSS JOIN build b ON b.build_id = ba.build_id
	JOIN archive a ON a.archive_id = ba.archive_id
	JOIN word m ON m.word_id = e.method_id
	LEFT JOIN word t ON t.word_id = e.type_id
	LEFT JOIN content c ON c.content_id = e.content_id
	WHERE b.label = ?1 AND b.complete = 1 AND k.key = ?2 AND d.prefix || p.name = ?3
	ORDER BY ba.mount_order DESC, e.flags & 2, a.format = 'unrealpak' DESC,
		CASE a.format WHEN 'unrealpak' THEN lower(ba.name) END DESC, ba.ordinal,
		CASE a.format WHEN 'unrealpak' THEN -e.ordinal ELSE e.ordinal END
	LIMIT 1`
