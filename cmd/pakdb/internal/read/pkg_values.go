package read

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/family/unreal"
	"pakdb/codecs/property"
	"pakdb/codecs/property/usmap"
	"pakdb/codecs/unrealpkg"
	"pakdb/codecs/zenpkg"
	"pakdb/internal/asset"
	"pakdb/internal/choose"
	"pakdb/query/pkgtable"
)

// valueOptions say how the values of a package are read and shown.
type valueOptions struct {
	show, json       bool
	mappings, engine string
}

// check refuses options that mean nothing without others.
func (o *valueOptions) check() error {
	if !o.show && (o.json || o.mappings != "" || o.engine != "") {
		return fmt.Errorf("%w: --json, --mappings and --engine are about --values", cli.ErrUsage)
	}
	return nil
}

// decoding returns the options of the decoder, and the package with the names of the
// classes of the program that mappings know: packages of containers have hashes of them.
func (o *valueOptions) decoding(p *unreal.PackageFacts) (out property.Options, _ *unreal.PackageFacts, err error) {
	if o.mappings != "" {
		m, err := usmap.Open(o.mappings)
		if errors.Is(err, os.ErrNotExist) {
			err = cli.WithHint(err, operand.NearestFile(o.mappings))
		}
		if err != nil {
			return out, nil, err
		}
		out.Schemas = m.Library()
		if p.Zen != nil {
			p = zenpkg.Resolve(p, unreal.ScriptObjectsNamed(m.ScriptObjects()))
		}
	}
	if o.engine != "" {
		if out.Engine, err = property.ParseEngine(o.engine); err != nil {
			return out, nil, fmt.Errorf("%w: %w", cli.ErrUsage, err)
		}
	}
	return out, p, nil
}

// valuesOf returns the values of a package.
func valuesOf(data func(export int) ([]byte, error), p *pkgtable.Package, opts *valueOptions) (*pkgtable.Values, error) {
	options, facts, err := opts.decoding(p.PackageFacts)
	if err != nil {
		return nil, err
	}
	p.PackageFacts = facts
	options.Name = cmp.Or(p.Name, unrealpkg.NameOf(p.Path))
	return &pkgtable.Values{Package: p, Options: options, Bytes: data}, nil
}

// printValues prints the values of a package, and says what mappings lacked.
func printValues(a *cli.App, data func(export int) ([]byte, error), p *pkgtable.Package, opts pkgOptions) error {
	if opts.values.json {
		return writeValuesJSON(a.Stdout, data, p, &opts.values)
	}
	v, err := valuesOf(data, p, &opts.values)
	if err != nil {
		return err
	}
	rows, err := a.Rows(opts.format, pkgtable.ValueColumns()...)
	if err != nil {
		return err
	}
	if err := cmp.Or(v.Rows(rows.Write), rows.Close()); err != nil {
		return err
	}
	return missing(&v.Coverage, opts.values.mappings)
}

// writeValuesJSON writes the values of a package as JSON, and says what mappings lacked.
func writeValuesJSON(w io.Writer, data func(export int) ([]byte, error), p *pkgtable.Package, opts *valueOptions) error {
	v, err := valuesOf(data, p, opts)
	if err != nil {
		return err
	}
	if err := printJSON(w, v); err != nil {
		return err
	}
	return missing(&v.Coverage, opts.mappings)
}

// missing is the error of objects whose classes nothing describes.
func missing(c *property.Coverage, mappings string) error {
	if len(c.Missing) == 0 {
		return nil
	}
	total, most := int64(0), ""
	for _, name := range slices.Sorted(maps.Keys(c.Missing)) {
		total += c.Missing[name]
		if most == "" || c.Missing[name] > c.Missing[most] {
			most = name
		}
	}
	err := fmt.Errorf("%w: %d of %d objects are opaque", &property.NoSchemaError{Name: most}, total, c.Exports)
	if strings.HasPrefix(most, "<script") {
		return cli.WithHint(err, "global.utoc of the game has the names of its classes: it belongs beside the archive")
	}
	if mappings == "" {
		return cli.WithHint(err, "--mappings names the mappings (.usmap) of the game")
	}
	return cli.WithHint(err, "are "+mappings+" those of this build of the game?")
}

func printJSON(w io.Writer, v *pkgtable.Values) error {
	out := bufio.NewWriter(w)
	before := "[\n"
	err := v.JSON(func(text []byte) error {
		_, err := out.WriteString(before)
		before = ",\n"
		_, textErr := out.Write(text)
		return cmp.Or(err, textErr)
	})
	if before == "[\n" {
		before = "[\n\n]\n"
	} else {
		before = "\n]\n"
	}
	_, endErr := out.WriteString(before)
	return cmp.Or(err, endErr, out.Flush())
}

// uexp returns the name of the file that has the exports of a split package, "" for
// names of other files.
func uexp(name string) string {
	stem, _, part := asset.Split(name)
	if part != asset.Header {
		return ""
	}
	return stem + ".uexp"
}

// spoolPackage decodes an entry, and the one beside it that has its exports.
func spoolPackage(ctx context.Context, ar *operand.Archive, e *codecs.Entry) (*operand.Content, error) {
	c, err := operand.SpoolEntry(ctx, ar, e)
	if err != nil || c.Chunk || uexp(e.Name) == "" {
		return c, err
	}
	found, err := choose.Find(ar.Path, ar.Archive, []string{uexp(e.Name)})
	if err != nil {
		return c, nil // the package says whether it needs one
	}
	if c.Exports, err = operand.SpoolEntry(ctx, ar, found[0]); err != nil {
		c.Close()
		return nil, err
	}
	own, beside := c.Close, c.Exports.Close
	c.Close = func() { own(); beside() }
	return c, nil
}

// addExports opens the file beside a package that has its exports, if there is one.
func addExports(c *operand.Content, path string) error {
	name := uexp(path)
	if name == "" {
		return nil
	}
	f, err := os.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	st, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	c.Exports = &operand.Content{ReaderAt: f, Size: st.Size(), Path: name, Close: func() { _ = f.Close() }}
	own := c.Close
	c.Close = func() { own(); _ = f.Close() }
	return nil
}
