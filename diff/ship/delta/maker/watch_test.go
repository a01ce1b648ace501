package maker_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"testing"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
	"pakdb/internal/stored"
)

// reporting is a reader that tells, at each read, what a Progress says.
type reporting struct {
	io.ReaderAt
	p    *stored.Progress
	seen map[string]int64 // highest count of each step
}

func (r *reporting) ReadAt(b []byte, off int64) (int, error) {
	step, done, total := r.p.Now()
	if done > total {
		done = -1
	}
	r.seen[step] = max(r.seen[step], done)
	return r.ReaderAt.ReadAt(b, off)
}

func TestWatch(t *testing.T) {
	old := bytes.Repeat([]byte("what is old and stays "), 200_000)
	new := append([]byte("new"), old...)
	p := &stored.Progress{}
	if step, done, total := p.Now(); step != "" || done != 0 || total != 0 {
		t.Errorf("before anything: %q, %d of %d", step, done, total)
	}
	ctx := stored.WatchProgress(context.Background(), p)
	r := &reporting{bytes.NewReader(old), p, map[string]int64{}}
	from, to := in("a", old), in("a", new)
	from.ReaderAt = r
	var out bytes.Buffer
	h, _, err := maker.Make(ctx, []delta.Input{from}, []delta.Input{to}, &out, t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if step, done, total := p.Now(); step != "making the patch" || done != int64(len(new)) || total != done {
		t.Errorf("made: %q, %d of %d, want all of %d", step, done, total, len(new))
	}
	if r.seen["reading"] < int64(len(old))/2 { // when its last part was read
		t.Errorf("reading went up to %d", r.seen["reading"])
	}
	if _, err := delta.Verify(ctx, &out); err != nil {
		t.Fatal(err)
	}
	file := t.TempDir() + "/p"
	if _, _, err := maker.MakeFile(ctx, file, []delta.Input{from}, []delta.Input{to}, nil); err != nil {
		t.Fatal(err)
	}
	if step, done, total := p.Now(); step != "applying the patch" || done != int64(len(new)) || total != done {
		t.Errorf("proved: %q, %d of %d, want all of %d", step, done, total, len(new))
	}
	st, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := delta.VerifyFile(ctx, file); err != nil {
		t.Fatal(err)
	}
	if _, done, total := p.Now(); total != st.Size() || done > total || h.Length() != total {
		t.Errorf("verified: %d of %d, the file has %d bytes", done, total, st.Size())
	}
}

func TestInterruptedLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	old := bytes.Repeat([]byte("what is old and stays "), 200_000)
	for after := range 12 {
		ctx, cancel := context.WithCancel(context.Background())
		from := in("a", old)
		from.ReaderAt = &cancelling{from.ReaderAt, after, cancel}
		_, _, err := maker.MakeFile(ctx, dir+"/p", []delta.Input{from}, []delta.Input{in("a", old[5:])}, nil)
		cancel()
		left, errList := os.ReadDir(dir)
		if errList != nil {
			t.Fatal(errList)
		}
		if err == nil {
			return // it was done before the read that would have ended it
		}
		if len(left) > 0 {
			t.Fatalf("interrupted at read %d: %s is left", after, left[0].Name())
		}
	}
}

// cancelling interrupts what reads it after so many reads.
type cancelling struct {
	io.ReaderAt
	left   int
	cancel func()
}

func (c *cancelling) ReadAt(b []byte, off int64) (int, error) {
	if c.left--; c.left < 0 {
		c.cancel()
	}
	return c.ReaderAt.ReadAt(b, off)
}
