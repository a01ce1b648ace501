package schema

import (
	"context"
	"fmt"

	"pakdb/schema/internal/conn"
	"pakdb/schema/internal/file"
)

// Copy writes a copy of a catalog to a new file, as it is at one moment whoever
// else writes to it. The copy is of the same version.
func Copy(ctx context.Context, from, to string) error {
	from = file.Resolve(from)
	if err := file.IsStored(ctx, from); err != nil {
		return fmt.Errorf("catalog %s: %w", from, err)
	}
	db := conn.OpenReader(from)
	defer func() { _ = db.Close() }()
	if err := checkForeign(ctx, db); err != nil {
		return fmt.Errorf("catalog %s: %w", from, conn.Classify(err))
	}
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("copy catalog %s: %w", from, conn.Classify(err))
	}
	return nil
}
