package clickhouse

import (
	"context"
	"time"
)

// Hurry has a client repeat requests almost at once.
func Hurry(c *Client) { c.pause = time.Millisecond }

// Run has the server run a statement.
func Run(ctx context.Context, c *Client, sql string) error {
	_, err := c.run(ctx, request{sql: sql})
	return err
}
