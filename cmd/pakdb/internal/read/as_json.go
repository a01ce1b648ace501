package read

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/internal/choose"
	"pakdb/query/pkgtable"
)

// asOptions say in which form contents are written.
type asOptions struct {
	form   string // "" for as they are
	values valueOptions
}

// add gives cmd the flags.
func (o *asOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.form, "as", "", "the `FORM` json: the values of Unreal packages, as \"pakdb pkg --values --json\" shows them")
	flags.StringVar(&o.values.mappings, "mappings", "", "with --as: the classes of the game are in `FILE` (.usmap)")
	flags.StringVar(&o.values.engine, "engine", "", "with --as: the `VERSION` of the engine that cooked the packages, as 4.27, if they have none")
}

// check refuses forms that there are not, and options that mean nothing with them.
func (o *asOptions) check(raw bool) error {
	switch {
	case o.form != "" && o.form != "json":
		return fmt.Errorf("%w: --as %s: the only form is json", cli.ErrUsage, o.form)
	case o.form != "" && raw:
		return fmt.Errorf("%w: --as json decodes, --raw does not", cli.ErrUsage)
	case o.form == "" && (o.values.mappings != "" || o.values.engine != ""):
		return fmt.Errorf("%w: --mappings and --engine are about --as json", cli.ErrUsage)
	}
	return nil
}

// writeAsJSON writes the values of the package that an entry is.
func writeAsJSON(ctx context.Context, a *cli.App, w io.Writer, ar *operand.Archive, e *codecs.Entry, as *asOptions) error {
	content, err := spoolPackage(ctx, ar, e)
	if err != nil {
		return err
	}
	defer content.Close()
	p, data, problems, err := readPackage(ctx, a, content)
	if err != nil {
		return cli.OfFile(err, ar.Path, choose.Label(e))
	}
	v := &pkgtable.Package{PackageFacts: p, Path: content.Path}
	if err := writeValuesJSON(w, data, v, &as.values); err != nil {
		return cli.OfFile(err, ar.Path, choose.Label(e))
	}
	var bad []error
	for _, problem := range problems {
		bad = append(bad, cli.OfFile(problem, ar.Path, choose.Label(e)))
	}
	return errors.Join(bad...)
}
