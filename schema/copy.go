package schema

import (
	"context"
	"database/sql"
	"fmt"
)

// Copy writes a copy of a catalog to a new file, as it is at one moment whoever
// else writes to it. The copy is of the same version.
func Copy(ctx context.Context, from, to string) error {
	if err := refuseForeign(from); err != nil {
		return err
	}
	db := sql.OpenDB(readConnector(from))
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}
