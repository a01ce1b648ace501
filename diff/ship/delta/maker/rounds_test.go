package maker

import (
	"context"
	"io"
	"os"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/apply"
	"pakdb/diff/ship/internal/deltatest"
	"pakdb/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }

// rounds makes patches of paks, and applies them to new files.
func rounds() deltatest.Rounds {
	return deltatest.Rounds{
		Make: func(ctx context.Context, old, new []delta.Input, out io.Writer, temp string) error {
			_, _, err := Make(ctx, old, new, out, temp, &MakeOptions{Registry: deltatest.Paks()})
			return err
		},
		Find: func(ctx context.Context, h *delta.Header, old []delta.Input) error {
			var list []apply.Candidate
			for _, in := range old {
				list = append(list, apply.Candidate{Name: in.Name, Size: in.Size, ReaderAt: in.ReaderAt})
			}
			_, err := apply.Find(ctx, h, list)
			return err
		},
		Apply: func(ctx context.Context, r *delta.Reader, old []io.ReaderAt, dir *os.Root) error {
			return apply.Apply(ctx, r, old, dir, nil)
		},
	}
}
