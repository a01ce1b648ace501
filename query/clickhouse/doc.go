// Package clickhouse keeps copies of builds in ClickHouse, by its HTTP interface: the
// views of package portable, and nothing that a catalog could not fill again.
//
// Rows of a view are in one table, pakdb_VIEW. Each push of a build has an id of its own,
// and the views show the rows of the pushes that table pakdb_builds names, the last one of
// each build. Its row is written when all others are there and were counted. So an
// interrupted push is never seen, and pushes need not know of each other.
//
// Reading order:
//
//   - address.go: what clickhouse:// says
//   - client.go: requests, errors, and when a request is made again
//   - tables.go: tables and views
//   - push.go: builds come and go
//   - statements.go: where statements and parameters are in SQL of users
//   - ask.go: runs it
package clickhouse
