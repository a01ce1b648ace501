package archive

import (
	"cmp"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/unreal/rows"
)

// printValues prints the values of a package, and says what mappings lacked.
func printValues(a *cli.App, p *packages, o *openedPackage, opts showOptions) error {
	out, err := a.Rows(opts.format, rows.ValueColumns()...)
	if err != nil {
		return err
	}
	if err := cmp.Or(o.Rows(out.Write), out.Close()); err != nil {
		return err
	}
	return p.missing(&o.Coverage)
}
