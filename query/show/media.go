package show

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"

	"pakdb/codecs/unreal/media"
	"pakdb/codecs/unreal/zen"
	"pakdb/internal/asset"
)

// Media returns a package of the build such that its textures and sounds can be read. The
// errors are those of [Build.Code].
func (b *Build) Media(ctx context.Context, path string) (*media.Package, error) {
	f, err := b.open(ctx, path)
	if err != nil {
		return nil, err
	}
	m := &media.Package{PackageFacts: f.PackageFacts, Bytes: f.bytes}
	if f.Zen != nil { // the objects of the program may not be known
		m.PackageFacts = zen.Resolve(f.PackageFacts, media.ScriptObjects())
	}
	_, _, part := asset.Split(path)
	m.Open = func(beside media.File) (io.ReaderAt, int64, error) {
		if beside == media.Whole {
			whole := f.whole()
			return bytes.NewReader(whole), int64(len(whole)), nil
		}
		if part != asset.Header {
			return nil, 0, media.ErrNoBytes
		}
		bulk, err := b.part(ctx, path, string(beside))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 0, media.ErrNoBytes
		}
		return bytes.NewReader(bulk), int64(len(bulk)), err
	}
	return m, nil
}
