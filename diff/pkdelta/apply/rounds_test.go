package apply

import (
	"context"
	"io"
	"os"
	"testing"

	"pakdb/diff/internal/pkdeltatest"
	"pakdb/diff/pkdelta"
	"pakdb/diff/pkdelta/maker"
	"pakdb/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Draw(m, 25)) }

// rounds makes patches of paks, and applies them to new files.
func rounds() pkdeltatest.Rounds {
	return pkdeltatest.Rounds{
		Make: func(ctx context.Context, old, new []pkdelta.Input, out io.Writer, temp string) error {
			_, _, err := maker.Make(ctx, old, new, out, temp, &maker.MakeOptions{Registry: pkdeltatest.Paks()})
			return err
		},
		Find: func(ctx context.Context, h *pkdelta.Header, old []pkdelta.Input) error {
			var list []Candidate
			for _, in := range old {
				list = append(list, Candidate{Name: in.Name, Size: in.Size, ReaderAt: in.ReaderAt})
			}
			_, err := Find(ctx, h, list)
			return err
		},
		Apply: func(ctx context.Context, r *pkdelta.Reader, old []io.ReaderAt, dir *os.Root) error {
			return Apply(ctx, r, old, dir, nil)
		},
	}
}
