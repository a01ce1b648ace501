package maker_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/delta/maker"
)

// benchPair is what is made and applied: a mod's real builds, or the files that
// PAKDB_BENCH_OLD and PAKDB_BENCH_NEW name.
func benchPair(b *testing.B) (old, new string) {
	b.Helper()
	old, new = os.Getenv("PAKDB_BENCH_OLD"), os.Getenv("PAKDB_BENCH_NEW")
	if old == "" || new == "" {
		old = codecstest.Sample(b, "unreal-pak/pairs/sandboxutilities_old_P.pak")
		new = codecstest.Sample(b, "unreal-pak/pairs/sandboxutilities_new_P.pak")
	}
	st, err := os.Stat(new)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(st.Size())
	b.ReportAllocs()
	return old, new
}

func benchFiles(b *testing.B, path string) *delta.Opened {
	b.Helper()
	f, err := delta.OpenFiles([]string{path})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = f.Close() })
	return f
}

// BenchmarkMakeFile makes a patch with its proof.
func BenchmarkMakeFile(b *testing.B) {
	oldPath, newPath := benchPair(b)
	old, new := benchFiles(b, oldPath), benchFiles(b, newPath)
	file := filepath.Join(b.TempDir(), "x.pkdelta")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(160 << 20)) // as the command does
	for b.Loop() {
		if _, _, err := maker.MakeFile(context.Background(), file, old.Inputs, new.Inputs, &maker.MakeOptions{Registry: all.Registry()}); err != nil {
			b.Fatal(err)
		}
	}
	st, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(st.Size()), "patch-bytes")
}

// BenchmarkApply applies a patch to a new file.
func BenchmarkApply(b *testing.B) {
	oldPath, newPath := benchPair(b)
	old, new := benchFiles(b, oldPath), benchFiles(b, newPath)
	var p bytes.Buffer
	if _, _, err := maker.Make(context.Background(), old.Inputs, new.Inputs, &p, b.TempDir(), &maker.MakeOptions{Registry: all.Registry()}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := applyTo(b, p.Bytes(), []string{oldPath}, b.TempDir()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMake makes a patch without its proof.
func BenchmarkMake(b *testing.B) {
	oldPath, newPath := benchPair(b)
	old, new := benchFiles(b, oldPath), benchFiles(b, newPath)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(160 << 20)) // as the command does
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if _, _, err := maker.Make(context.Background(), old.Inputs, new.Inputs, &out, b.TempDir(), &maker.MakeOptions{Registry: all.Registry()}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(out.Len()), "patch-bytes")
}
