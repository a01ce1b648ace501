package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/cmd/pakdb/internal/operand"
	"pakdb/codecs"
	"pakdb/codecs/iostore"
	"pakdb/codecs/unreal"
	"pakdb/codecs/unreal/media"
	"pakdb/internal/asset"
	"pakdb/internal/mount"
	"pakdb/internal/regular"
)

// maxExport bounds the bytes of a content that are read at once.
const maxExport = 1 << 30

// chunkOwner is how many digits of a chunk's id are those of the package.
const chunkOwner = 16

// bulkKey returns how a chunk is found that lies beside the package of a container, "" for
// other entries: by the package and the extension that its file would have.
func bulkKey(e *codecs.Entry) string {
	if e.ID.Bits != codecs.ChunkBits {
		return ""
	}
	ext := ""
	switch e.Type {
	case iostore.TypeBulkData:
		ext = ".ubulk"
	case iostore.TypeOptionalBulkData:
		ext = ".uptnl"
	case iostore.TypeMemoryMapped:
		ext = ".m.ubulk"
	default:
		return ""
	}
	return e.ID.String()[:chunkOwner] + ext
}

// besides returns what opens the files beside the package that e is: those of its archive,
// else of its build.
func (f *packageFiles) besides(ctx context.Context, a *cli.App, e *codecs.Entry, c *operand.Content) media.Opener {
	return func(file media.File) (io.ReaderAt, int64, error) {
		if file == media.Whole {
			w := whole{c}
			return w, w.size(), nil
		}
		if e.ID.Bits == codecs.ChunkBits {
			if found := f.bulks[e.ID.String()[:chunkOwner]+string(file)]; found != nil {
				return contentOf(ctx, f.ar, found)
			}
		}
		if found := f.bulks[strings.ToLower(string(file))]; found != nil { // .tfc
			return contentOf(ctx, f.ar, found)
		}
		stem, _, part := asset.Split(e.Name)
		if part != asset.Header {
			return nil, 0, media.ErrNoBytes
		}
		name := stem + string(file)
		if found := f.bulks[strings.ToLower(name)]; found != nil {
			return contentOf(ctx, f.ar, found)
		}
		if f.ar.Build == "" {
			return nil, 0, media.ErrNoBytes
		}
		return besidesInBuild(ctx, a, f.ar.Build+":"+mount.Path(f.ar.Info().MountPoint, name))
	}
}

// besidesInBuild reads a file of a build.
func besidesInBuild(ctx context.Context, a *cli.App, name string) (io.ReaderAt, int64, error) {
	g, err := openEntry(ctx, a, name)
	if errors.Is(err, codecs.ErrNotFound) {
		return nil, 0, media.ErrNoBytes
	}
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = g.ar.Close() }()
	return contentOf(ctx, g.ar, g.entries[0])
}

// contentOf decodes an entry into memory.
func contentOf(ctx context.Context, ar *operand.Archive, e *codecs.Entry) (io.ReaderAt, int64, error) {
	if e.Size > maxExport {
		return nil, 0, codecs.Errorf(codecs.ErrLimit, "%s of %d bytes", e.Name, e.Size)
	}
	b, err := readEntry(ctx, ar, e)
	return bytes.NewReader(b), int64(len(b)), err
}

// besidesFile returns what opens the files beside one in a folder.
func besidesFile(path string, c *operand.Content) media.Opener {
	return func(file media.File) (io.ReaderAt, int64, error) {
		if file == media.Whole {
			w := whole{c}
			return w, w.size(), nil
		}
		name := asset.Beside(path, string(file))
		if _, _, part := asset.Split(path); part != asset.Header {
			name = filepath.Join(filepath.Dir(path), filepath.Base(string(file))) // .tfc
		}
		f, err := regular.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, media.ErrNoBytes
		}
		if err != nil {
			return nil, 0, err
		}
		defer func() { _ = f.Close() }()
		b, err := io.ReadAll(io.LimitReader(f, maxExport))
		return bytes.NewReader(b), int64(len(b)), err
	}
}

// namedPackages finds other packages of a game, by their names.
type namedPackages func(ctx context.Context, name string) (*operand.Content, error)

// named finds those in the archive.
func (f *packageFiles) named(ctx context.Context, name string) (*operand.Content, error) {
	e := f.old[strings.ToLower(name)]
	if e == nil {
		return nil, codecs.Errorf(codecs.ErrNotFound, "package %s", name)
	}
	return operand.SpoolEntry(ctx, f.ar, e)
}

// namedNear finds those in the folder of a file, and in the folders beside that.
func namedNear(a *cli.App, file string) namedPackages {
	return func(_ context.Context, name string) (*operand.Content, error) {
		folder := filepath.Dir(file)
		for _, dir := range []string{folder, filepath.Join(folder, "..", "System"), filepath.Join(folder, "..", "Textures")} {
			all, _ := os.ReadDir(dir) // a folder that is not there has none
			for _, f := range all {
				base := f.Name()
				if f.Type().IsRegular() && unreal.HasPackageExt(base) && strings.EqualFold(strings.TrimSuffix(base, filepath.Ext(base)), name) {
					return openLoosePackage(a, filepath.Join(dir, base))
				}
			}
		}
		return nil, codecs.Errorf(codecs.ErrNotFound, "package %s", name)
	}
}

// whole reads a package and the file with its exports as one.
type whole struct{ c *operand.Content }

func (w whole) size() int64 {
	if w.c.Exports == nil {
		return w.c.Size
	}
	return w.c.Size + w.c.Exports.Size
}

// ReadAt implements [io.ReaderAt].
func (w whole) ReadAt(p []byte, off int64) (n int, err error) {
	if off < w.c.Size {
		n, err = w.c.ReadAt(p[:min(int64(len(p)), w.c.Size-off)], off)
		if n == len(p) || w.c.Exports == nil || off+int64(n) < w.c.Size {
			return n, err
		}
	}
	if w.c.Exports == nil {
		return n, io.EOF
	}
	more, err := w.c.Exports.ReadAt(p[n:], off+int64(n)-w.c.Size)
	return n + more, err
}
