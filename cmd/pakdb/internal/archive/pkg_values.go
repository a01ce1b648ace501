package archive

import (
	"cmp"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/query/pkgtable"
)

// printValues prints the values of a package, and says what mappings lacked.
func printValues(a *cli.App, p *packages, o *openedPackage, opts showOptions) error {
	v := p.values(o)
	rows, err := a.Rows(opts.format, pkgtable.ValueColumns()...)
	if err != nil {
		return err
	}
	if err := cmp.Or(v.Rows(rows.Write), rows.Close()); err != nil {
		return err
	}
	return p.missing(&v.Coverage)
}
