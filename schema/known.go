package schema

import (
	"context"
	"database/sql"
	"sync"

	"pakdb/schema/internal/conn"
)

// Known is an archive that an earlier scan made.
type Known struct {
	Archive  int64
	ModTime  int64   // of the file that was scanned, Unix nanoseconds
	Digest   *Digest // of the whole file; nil when it was not computed
	Entries  int64
	Size     int64
	Stored   int64
	Problems int64
}

// Known returns the archives that were scanned the same way from files of that
// size and quick digest, the one of the same time first. Those of this build are
// not among them: whether one is in the catalog yet is a matter of chance. It
// may be called from several goroutines at once.
func (b *Build) Known(ctx context.Context, size, mtime int64, quick Digest, scan string) ([]Known, error) {
	return b.c.known.find(ctx, quick[:], size, scan, b.publish.Before, mtime)
}

// knownArchives looks archives up, one after the other: that takes microseconds, and
// another connection milliseconds. It is safe for concurrent use.
type knownArchives struct {
	mu sync.Mutex
	db *sql.DB
}

func (a *knownArchives) find(ctx context.Context, args ...any) (found []Known, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	type stored struct {
		Known
		digest []byte
	}
	all, err := conn.All(ctx, a.db, func(k *stored) []any {
		return []any{&k.Archive, &k.ModTime, &k.digest, &k.Entries, &k.Size, &k.Stored, &k.Problems}
	}, knownSQL, args...)
	for _, k := range all {
		if len(k.digest) == len(Digest{}) {
			d := Digest(k.digest)
			k.Digest = &d
		}
		found = append(found, k.Known)
	}
	return found, err
}

const knownSQL = `SELECT archive_id, mtime, digest, entry_count, entry_size, entry_stored, problem_count
FROM x_archive
WHERE quick = ? AND size = ? AND scan = ? AND archive_id <= ? AND complete = 1
ORDER BY mtime <> ?, archive_id`
