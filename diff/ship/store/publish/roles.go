package publish

import "pakdb/diff/ship/internal/trust"

// The roles of signed metadata.
const (
	RoleRoot      = trust.RoleRoot
	RoleTargets   = trust.RoleTargets
	RoleSnapshot  = trust.RoleSnapshot
	RoleTimestamp = trust.RoleTimestamp
)

// Roles returns all roles, the root first.
func Roles() []string { return trust.Roles() }

// TimestampName is the file of the timestamp in a store.
const TimestampName = trust.TimestampName

// MetadataName returns the file of a role's metadata in a store.
func MetadataName(role string, version int64) string { return trust.Name(role, version) }

// ParseRoot reads a root, whose signatures are not checked.
func ParseRoot(text []byte) (*trust.Root, error) { return trust.ParseRoot(text) }
