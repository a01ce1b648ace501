package mods

import (
	"bytes"
	"context"
	"fmt"

	"pakdb/codecs"
	"pakdb/codecs/internal/pkg"
	"pakdb/codecs/internal/property"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
)

// frame is a package around its values: files that are read, and written again.
type frame struct {
	asset, uexp []byte
	legacy      *pkg.Package // of one of the two kinds
	zen         *zen.Package
	globals     *unreal.ScriptObjectFacts
}

// readFrame reads the tables of a package.
func readFrame(ctx context.Context, asset, uexp []byte) (*frame, error) {
	read, err := pkg.Read(ctx, bytes.NewReader(asset), int64(len(asset)))
	return &frame{asset: asset, uexp: uexp, legacy: read}, err
}

func readZenFrame(chunk []byte, globals *unreal.ScriptObjectFacts) (*frame, error) {
	read, err := zen.Read(bytes.NewReader(chunk), int64(len(chunk)))
	return &frame{asset: chunk, zen: read, globals: globals}, err
}

// facts returns the tables.
func (f *frame) facts() *unreal.PackageFacts {
	if f.zen == nil {
		return &f.legacy.PackageFacts
	}
	if f.globals == nil {
		return &f.zen.PackageFacts
	}
	return zen.Resolve(&f.zen.PackageFacts, f.globals)
}

// check fails for packages that are not written, and for those without their data.
func (f *frame) check() error {
	var err error
	if f.zen != nil {
		err = f.zen.Writable()
	} else {
		err = f.legacy.Writable()
	}
	if err != nil {
		return err
	}
	facts := f.facts()
	if facts.Split && f.uexp == nil {
		return fmt.Errorf("%w: the .uexp of the package", codecs.ErrNotFound)
	}
	for i := range facts.Exports {
		if x := &facts.Exports[i]; x.Size < 0 || x.Size > 0 && (x.Offset < f.base() || x.Offset-f.base()+x.Size > int64(len(f.body()))) {
			return fmt.Errorf("%w: the data of export %d", codecs.ErrTruncated, i)
		}
	}
	return nil
}

// classic reports a package of UE1 to UE3.
func (f *frame) classic() bool { return f.legacy != nil && !f.legacy.Modern() }

func (f *frame) split() bool { return f.legacy != nil && f.legacy.Split }

func (f *frame) body() []byte {
	if f.split() {
		return f.uexp
	}
	return f.asset
}

// base is the offset in the package of the first byte of the body.
func (f *frame) base() int64 {
	if f.split() {
		return f.legacy.HeaderSize
	}
	return 0
}

// data returns the bytes of an export.
func (f *frame) data(i int) []byte {
	var x *unreal.PackageExport
	if f.zen != nil {
		x = &f.zen.Exports[i]
	} else {
		x = &f.legacy.Exports[i]
	}
	if x.Size == 0 {
		return nil // of UE1 and UE2, which state no offset then
	}
	return f.body()[x.Offset-f.base():][:x.Size:x.Size]
}

// write returns the files of the package with other data of exports, and with what values
// need of the tables. more are exports that are added, to a legacy package.
func (f *frame) write(ctx context.Context, drafts map[int]*property.Draft, added *property.Added, more ...pkg.ExportCopy) (*frame, error) {
	if f.zen != nil {
		c := &zen.Changes{Names: added.Names, Exports: map[int][]byte{}}
		for i, d := range drafts {
			c.Exports[i] = d.Data()
		}
		chunk, err := f.zen.Rewrite(f.asset, c)
		if err != nil {
			return nil, err
		}
		return readZenFrame(chunk, f.globals)
	}
	c := &pkg.Changes{Names: added.Names, Imports: added.Imports, Exports: map[int]pkg.ExportChange{}, Copies: more}
	for _, s := range added.Soft {
		c.Soft = append(c.Soft, pkg.SoftEntry(s))
	}
	for i, d := range drafts {
		c.Exports[i] = pkg.ExportChange{Data: d.Data(), Grown: d.Grown()}
	}
	asset, uexp, err := f.legacy.Rewrite(ctx, f.asset, f.uexp, c)
	if err != nil {
		return nil, err
	}
	return readFrame(ctx, asset, uexp)
}
