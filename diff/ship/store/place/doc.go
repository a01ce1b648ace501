// Package place reads the files of a store from a folder, a server or a bucket, by
// what they are called on the command line: a folder, http(s)://, s3://BUCKET/PREFIX.
// It reads them; what writes is in package bucket.
//
// Files in reading order: server.go (HTTP), s3.go (the same, signed), place.go, doubt.go.
package place
