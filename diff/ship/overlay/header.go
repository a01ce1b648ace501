package overlay

import (
	"bytes"
	"context"
	"errors"
	"io"

	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/zen"
)

// ContainerHeader makes the ContainerHeader of an IoStore container that brings
// chunks of other containers anew: it lists the packages among them, as those
// have them. An engine loads no package that no mounted container lists.
func ContainerHeader(ctx context.Context, name string, entries []*codecs.Entry, from []codecs.Archive) (*codecs.Entry, []byte, error) {
	packages := map[uint64]bool{}
	for _, e := range entries {
		if id, ok := iostore.PackageOf(e.ID); ok && e.Type == iostore.TypeExportBundleData {
			packages[id] = true
		}
	}
	var headers []*unreal.ContainerFacts
	for _, ar := range from {
		f, err := readContainerHeader(ctx, ar)
		if err != nil {
			return nil, nil, err
		}
		if f != nil {
			headers = append(headers, f)
		}
	}
	if len(headers) == 0 {
		return nil, nil, nil
	}
	id := iostore.ContainerID(name)
	f := unreal.Overriding(id, func(pkg uint64) bool { return packages[pkg] }, headers...)
	for _, p := range f.Packages {
		delete(packages, p.ID)
	}
	if len(packages) > 0 {
		return nil, nil, codecs.Errorf(codecs.ErrCorrupt, "%s: %d packages stand in no header of the new build's containers", name, len(packages))
	}
	b, err := zen.AppendContainerHeader(nil, f)
	return iostore.HeaderEntry(id), b, err
}

// maxHeader bounds a ContainerHeader: those of games have some MiB.
const maxHeader = 256 << 20

// readContainerHeader returns the header of a container, nil if it has none.
func readContainerHeader(ctx context.Context, ar codecs.Archive) (*unreal.ContainerFacts, error) {
	for e, err := range ar.Entries() {
		switch {
		case e == nil:
			return nil, err
		case e.Type != iostore.TypeContainerHeader:
			continue
		case err != nil:
			return nil, err
		case e.Size > maxHeader:
			return nil, codecs.Errorf(codecs.ErrLimit, "container header of %d bytes", e.Size)
		}
		r, err := ar.Open(ctx, e)
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(codecs.ContextReader(ctx, r))
		if err = errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		return zen.ReadContainerHeader(bytes.NewReader(b), int64(len(b)))
	}
	return nil, nil
}
