package schema

import (
	"context"
	"database/sql"
	"fmt"
)

// Copy writes a copy of a catalog to a new file, as it is at one moment whoever
// else writes to it. The copy is of the same version.
func Copy(ctx context.Context, from, to string) error {
	from = resolve(from)
	if err := mustBeStored(ctx, from); err != nil {
		return fmt.Errorf("catalog %s: %w", from, err)
	}
	db := sql.OpenDB(readConnector(from))
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("copy catalog %s: %w", from, classify(err))
	}
	return nil
}
