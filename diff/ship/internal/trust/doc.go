// Package trust reads and writes the signed metadata of a store, as The Update
// Framework (TUF, specification 1.0) documents it: which keys may sign what (root),
// which builds there are (targets), which list of builds is current (snapshot), and
// until when that is so (timestamp). A client that remembers what it saw last
// recognises a store that was rolled back, frozen, or put together from two states.
//
// Files in reading order: metadata.go (what is signed; the four roles), key.go, chain.go (what
// a client accepts and remembers).
package trust
