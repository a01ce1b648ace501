package patch

import (
	"context"
	"fmt"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"pakdb/internal/progress"
	"pakdb/internal/rescue"
	"pakdb/internal/stored"
)

// hash reads the files of two builds once, each build by a goroutine, and hashes
// them and the stored bytes of their extents.
func hash(ctx context.Context, builds ...*build) ([][]File, error) {
	files := make([][]File, len(builds))
	g, ctx := errgroup.WithContext(ctx)
	for i, b := range builds {
		g.Go(rescue.Func(func() (err error) {
			files[i], err = b.hash(ctx)
			return err
		}))
	}
	return files, g.Wait()
}

func (b *build) hash(ctx context.Context) ([]File, error) {
	files := make([]File, len(b.files))
	buf := make([]byte, 1<<20)
	for i := range b.files {
		l := &b.files[i]
		sum, err := l.hash(ctx, buf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Input.Name, err)
		}
		files[i] = File{Name: l.Input.Name, Size: l.Size, Sum: sum}
	}
	return files, nil
}

func (l *layout) hash(ctx context.Context, buf []byte) (Sum, error) {
	whole, part := blake3.New(), blake3.New()
	var sum [32]byte
	rest := l.extents
	if len(rest) == 1 && rest[0].stored == l.Size {
		rest = nil // its hash is the file's
	}
	for off := int64(0); off < l.Size; {
		if err := ctx.Err(); err != nil {
			return Sum{}, err
		}
		p := buf[:min(int64(len(buf)), l.Size-off)]
		if err := stored.ReadAt(l.Source, p, off); err != nil {
			return Sum{}, err
		}
		_, _ = whole.Write(p)
		end := off + int64(len(p))
		for len(rest) > 0 && rest[0].off < end {
			x := &rest[0]
			_, _ = part.Write(p[max(x.off, off)-off : min(x.end(), end)-off])
			if x.end() > end {
				break
			}
			copy(x.sum[:], part.Sum(sum[:0]))
			part.Reset()
			rest = rest[1:]
		}
		off = end
		progress.Of(ctx).Add(int64(len(p)))
	}
	all := Sum(whole.Sum(sum[:0]))
	if len(l.extents) == 1 && l.extents[0].stored == l.Size {
		l.extents[0].sum = all
	}
	return all, l.plainSums()
}

// plainSums hashes what encrypted extents are when they are decrypted.
func (l *layout) plainSums() (err error) {
	for i := range l.extents {
		x := &l.extents[i]
		if x.plain = x.sum; x.key > 0 {
			if x.plain, err = l.plainSum(x); err != nil {
				return err
			}
		}
	}
	return nil
}
