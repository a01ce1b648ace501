package inside

import (
	"context"
	"fmt"

	"github.com/zeebo/blake3"
	"golang.org/x/sync/errgroup"

	"pakdb/diff/ship/delta"
	"pakdb/internal/process"
	"pakdb/internal/stored"
)

// Hash reads the files of two builds once, each build by a goroutine, and hashes
// them and the stored bytes of their extents.
func Hash(ctx context.Context, builds ...*Build) ([][]delta.File, error) {
	files := make([][]delta.File, len(builds))
	g, ctx := errgroup.WithContext(ctx)
	for i, b := range builds {
		g.Go(process.RescueFunc(func() (err error) {
			files[i], err = b.hash(ctx)
			return err
		}))
	}
	return files, g.Wait()
}

func (b *Build) hash(ctx context.Context) ([]delta.File, error) {
	files := make([]delta.File, len(b.Files))
	buf := make([]byte, 1<<20)
	for i := range b.Files {
		l := &b.Files[i]
		sum, err := l.hash(ctx, buf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.Name, err)
		}
		files[i] = delta.File{Name: l.Name, Size: l.Size, Sum: sum}
	}
	return files, nil
}

func (l *Layout) hash(ctx context.Context, buf []byte) (delta.Sum, error) {
	whole, part := blake3.New(), blake3.New()
	var sum [32]byte
	rest := l.Extents
	if len(rest) == 1 && rest[0].Stored == l.Size {
		rest = nil // its hash is the file's
	}
	for off := int64(0); off < l.Size; {
		if err := ctx.Err(); err != nil {
			return delta.Sum{}, err
		}
		p := buf[:min(int64(len(buf)), l.Size-off)]
		if err := stored.ReadAt(l.Source, p, off); err != nil {
			return delta.Sum{}, err
		}
		_, _ = whole.Write(p)
		end := off + int64(len(p))
		for len(rest) > 0 && rest[0].Off < end {
			x := &rest[0]
			_, _ = part.Write(p[max(x.Off, off)-off : min(x.End(), end)-off])
			if x.End() > end {
				break
			}
			copy(x.Sum[:], part.Sum(sum[:0]))
			part.Reset()
			rest = rest[1:]
		}
		off = end
		stored.ProgressOf(ctx).Add(int64(len(p)))
	}
	all := delta.Sum(whole.Sum(sum[:0]))
	if len(l.Extents) == 1 && l.Extents[0].Stored == l.Size {
		l.Extents[0].Sum = all
	}
	return all, l.plainSums()
}

// plainSums hashes what encrypted extents are when they are decrypted.
func (l *Layout) plainSums() (err error) {
	for i := range l.Extents {
		x := &l.Extents[i]
		if x.Plain = x.Sum; x.Key > 0 {
			if x.Plain, err = l.plainSum(x); err != nil {
				return err
			}
		}
	}
	return nil
}
