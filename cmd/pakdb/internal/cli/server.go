package cli

import "pakdb/query/export"

// Server returns the database of ClickHouse at an address, and warns if a password will be
// sent as it is. The caller closes it.
func Server(a *App, address string) (*export.Server, error) {
	s, err := export.NewServer(address)
	if err == nil && s.Exposed() {
		a.Warn("the password goes over the network as it is; ?secure=1 uses HTTPS")
	}
	return s, err
}
