package compare

import (
	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/overlay"
)

// newDisk is how patches reach archives.
func newDisk(a *cli.App) *overlay.Disk {
	return &overlay.Disk{Registry: a.Registry(), Options: a.OpenOptions(), Header: overlay.ContainerHeader, Passed: a.LeftOut}
}
