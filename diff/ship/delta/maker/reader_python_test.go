package maker_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/compress"
	"pakdb/codecs/unrealpak"
	"pakdb/diff/ship/delta"
	"pakdb/internal/atomicfile"
	"pakdb/internal/stored"
	"pakdb/internal/testkit"
)

// secondReader applies a patch by docs/pkdelta.py, which was written from
// docs/pkdelta.md, and compares what it made.
func secondReader(t *testing.T, old, new string) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 to run the second reader with")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "p.pkdelta")
	if err := os.WriteFile(file, makePatch(t, []string{old}, []string{new}), 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out") // with all old files in it
	for _, in := range open(t, []string{old}).Inputs {
		b := make([]byte, in.Size)
		file := filepath.Join(out, filepath.FromSlash(in.Name))
		if err := errors.Join(stored.ReadAt(in, b, 0), os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, b, 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := exec.Command(python, filepath.Join(codecstest.ModuleRoot(t), "docs", "pkdelta.py"), file, old, "-o", out).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	files := open(t, []string{new})
	for i, in := range files.Inputs {
		want, err := os.ReadFile(files.Path(i))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(in.Name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs", in.Name)
		}
		st, err := os.Stat(filepath.Join(out, filepath.FromSlash(in.Name)))
		if err != nil || atomicfile.IsExec(atomicfile.Mode(st)) != atomicfile.IsExec(in.Mode) {
			t.Errorf("%s has the permissions %v, %v", in.Name, st.Mode(), err)
		}
	}
	for _, in := range open(t, []string{old}).Inputs {
		stays := slices.ContainsFunc(files.Inputs, func(other delta.Input) bool { return other.Name == in.Name })
		if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(in.Name))); (err == nil) != stays {
			t.Errorf("%s: %v", in.Name, err)
		}
	}
}

func TestSecondReader(t *testing.T) {
	t.Parallel()
	for _, c := range testkit.Some([]struct{ name, old, new string }{
		{"v11 stored", "unreal-pak/pairs/integration_old.pak", "unreal-pak/pairs/integration_new.pak"},
		{"iostore", "iostore/cue4parse-ue5.8/Uncompressed", "iostore/cue4parse-ue5.8/Zlib"},
		{"sqlite", "gpak/mu_cdata_1.5.sip", "gpak/mu_cdata_1.6.sip"},
		{"v11 zlib", "unreal-pak/pairs/sandboxutilities_old_P.pak", "unreal-pak/pairs/sandboxutilities_new_P.pak"},
	}, 1) {
		t.Run(c.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("a second or two each")
			}
			secondReader(t, codecstest.Sample(t, c.old), codecstest.Sample(t, c.new))
		})
	}
}

// TestSecondReaderOfFolders: loose files, among them none, equal and empty ones.
func TestSecondReaderOfFolders(t *testing.T) {
	testkit.NotShort(t)
	old, new := t.TempDir(), t.TempDir()
	lines := func(from, to int) string {
		var b strings.Builder
		for i := from; i < to; i++ {
			fmt.Fprintln(&b, "line", i)
		}
		return b.String()
	}
	texts := map[string]string{
		"old/a.txt": lines(0, 3000), "new/a.txt": lines(0, 1000) + "inserted\n" + lines(1001, 3000),
		"old/empty": "", "new/empty": "", "new/sub/b.txt": lines(500, 1500), "new/sub/c.txt": lines(500, 1500),
		"old/gone": "gone", "new/d": "something else",
		"old/data/one.bin": literals(9000), "old/data/two.bin": lines(7000, 9000), // one behind the other, with their names
		"new/all":      "<data/one.bin>" + literals(9000) + "<data/two.bin>" + lines(7000, 9000) + "<data/one.bin>" + literals(9000) + "<end>",
		"new/literals": literals(3000), // hardly two of them in a row stand elsewhere
	}
	for i := range 300 { // of so many there are only two bits of each sum
		name := fmt.Sprintf("many/%d.txt", i)
		texts["old/"+name], texts["new/"+name] = fmt.Sprint(i), fmt.Sprint(i+i/299)
	}
	for name, text := range texts {
		side, rel, _ := strings.Cut(name, "/")
		path := filepath.Join(map[string]string{"old": old, "new": new}[side], filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o666)
		if rel == "d" || rel == "empty" || rel == "many/7.txt" {
			mode = 0o777
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	secondReader(t, old, new)
}

// literals are bytes of which nothing is known but how frequent they are.
func literals(n int) string {
	r, b := rand.New(rand.NewPCG(5, 5)), make([]byte, n)
	for i := range b {
		b[i] = byte(r.IntN(160))
	}
	return string(b)
}

// TestSecondReaderOfPaks: of each version that is written, entries that were
// edited, added, removed and put in another order, and the way back.
func TestSecondReaderOfPaks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a second or two for each version")
	}
	for _, version := range testkit.Some(unrealpak.Format().Versions, 1) {
		t.Run(version, func(t *testing.T) {
			content := map[string]string{}
			var names []string
			for i := range 30 {
				name := fmt.Sprintf("Game/%c/Sub%d/File%02d.txt", 'A'+i%3, i%5, i)
				names = append(names, name)
				content[name] = strings.Repeat(fmt.Sprintf("%d of %s, and so on; ", i*i, name), 20*i+3)
			}
			write := func(path string, seed uint64, names []string) string {
				err := codecs.WriteFile(t.Context(), path, unrealpak.Format(), &codecs.CreateOptions{Version: version, Method: compress.Zlib, BlockSize: 4096, Seed: seed},
					func(w codecs.Writer) error {
						for _, n := range names {
							if err := w.Add(context.Background(), &codecs.Entry{Name: n}, strings.NewReader(content[n])); err != nil {
								return err
							}
						}
						if version > "5" || len(version) > 1 {
							return w.Add(context.Background(), &codecs.Entry{Name: "Game/Hidden.txt", Flags: codecs.Deleted}, strings.NewReader(""))
						}
						return nil
					})
				if err != nil {
					t.Fatal(err)
				}
				return path
			}
			old := write(filepath.Join(t.TempDir(), "x.pak"), 0, names)
			parts, merged := t.TempDir(), filepath.Join(t.TempDir(), "merged.pak")
			seed := uint64(0)
			if len(version) == 2 && version[0] == '1' {
				seed = 0x1234567
			}
			write(filepath.Join(parts, "a.pak"), seed, names[:12])
			write(filepath.Join(parts, "b.pak"), seed*2, names[10:20])
			write(filepath.Join(parts, "c.pak"), seed*3, names[20:])
			secondReader(t, parts, write(merged, seed*4, slices.Concat(names[25:], names[:8], names[11:24])))
			content[names[7]] += "a little more"
			names = append(names[:12:12], names[14:]...)
			for _, added := range []string{"Root.txt", "Game/New/Deep/One.txt", "Game/A/Sub0/Two.txt"} {
				names, content[added] = append(names, added), strings.Repeat("new in "+added, 100)
			}
			rand.New(rand.NewPCG(3, 3)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			new := write(filepath.Join(t.TempDir(), "x.pak"), 0, names)
			secondReader(t, old, new)
			secondReader(t, new, old)
		})
	}
}
