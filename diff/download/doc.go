// Package download estimates the download of an update, by each way of transport, from
// what a catalog has of both builds.
//
//	diff.Result ─► files and stored entries of both builds (shipment)
//	            ─► files, entries: counted
//	            ─► edits: what changed contents were made from ─► chunks, delta: estimated
//
// Files in reading order: download.go (Ways), chunks.go, delta.go, load.go (shipment),
// way.go (Way).
package download
