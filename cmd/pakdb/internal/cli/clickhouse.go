package cli

import "pakdb/query/clickhouse"

// ClickHouse returns a client of the database at an address, and warns if a password will
// be sent as it is. The caller closes it.
func ClickHouse(a *App, address string) (*clickhouse.Client, error) {
	at, err := clickhouse.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if at.Exposed() {
		a.Warn("the password goes over the network as it is; ?secure=1 uses HTTPS")
	}
	return clickhouse.NewClient(at), nil
}
