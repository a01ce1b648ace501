package main

import (
	"database/sql/driver"

	"pakdb/codecs/calligraphy"
	"pakdb/codecs/gpak"
	"pakdb/query"
)

// formatFunctions are the SQL functions that formats bring along.
func formatFunctions() []query.Function {
	hash := func(h func(string) uint64) func(string) driver.Value {
		return func(s string) driver.Value { return int64(h(s)) }
	}
	return []query.Function{
		query.TextFunction("gpak_hash(path)", "hash of a path in a Marvel Heroes .sip, signed", hash(gpak.Hash)),
		query.TextFunction("calligraphy_id(path)", "id of a file of Marvel Heroes' database, signed", hash(calligraphy.ID)),
		query.TextFunction("resource_id(path)", "id of a resource file of Marvel Heroes, signed", hash(calligraphy.ResourceID)),
	}
}
