package clickhouse

import "time"

// Hurry has a client repeat requests almost at once.
func Hurry(c *Client) { c.pause = time.Millisecond }
