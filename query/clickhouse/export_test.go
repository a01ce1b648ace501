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

// ReachWithin is [Client.Reach] for those who do not wait that long.
func ReachWithin(ctx context.Context, c *Client, most time.Duration) error { return c.reach(ctx, most) }
