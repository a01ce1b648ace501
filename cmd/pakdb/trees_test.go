package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
	"pakdb/internal/testkit"
)

// tree is what a folder has, by paths: files as "- text" or "x text", symbolic links as
// "l target". Folders are those of the files.
type tree map[string]string

// put adds a file, in place of what is where its folders will be, or it.
func (t tree) put(name, what string) {
	maps.DeleteFunc(t, func(other, _ string) bool { return isBelow(other, name) || isBelow(name, other) })
	t[name] = what
}

func isBelow(name, dir string) bool { return strings.HasPrefix(name, dir+"/") }

// blocks reports that one of the files of a tree would be a folder of name, or below it.
func (t tree) blocks(name string) bool {
	for other := range t {
		if isBelow(other, name) || isBelow(name, other) {
			return true
		}
	}
	return false
}

func (t tree) write(tb testing.TB, dir string) string {
	tb.Helper()
	err := os.MkdirAll(dir, 0o777)
	for name, what := range t {
		file := filepath.Join(dir, filepath.FromSlash(name))
		err = errors.Join(err, os.MkdirAll(filepath.Dir(file), 0o777))
		switch what[0] {
		case 'l':
			err = errors.Join(err, os.Symlink(what[2:], file))
		case 'x':
			err = errors.Join(err, os.WriteFile(file, []byte(what[2:]), 0o755))
		default:
			err = errors.Join(err, os.WriteFile(file, []byte(what[2:]), 0o644))
		}
	}
	if err != nil {
		tb.Fatal(err)
	}
	return dir
}

// readTree reads a folder. Folders without files are an error.
func readTree(tb testing.TB, dir string) tree {
	tb.Helper()
	t := tree{}
	err := filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil || file == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, file)
		name := filepath.ToSlash(rel)
		switch {
		case d.IsDir():
			if list, err := os.ReadDir(file); err != nil || len(list) == 0 {
				return fmt.Errorf("%s: an empty folder: %w", name, err)
			}
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(file)
			t[name] = "l " + to
			return err
		}
		b, err := os.ReadFile(file)
		st, serr := d.Info()
		if err := errors.Join(err, serr); err != nil {
			return err
		}
		kind := "- "
		if st.Mode()&0o111 == 0o111 && runtime.GOOS != "windows" {
			kind = "x "
		} else if st.Mode()&0o111 != 0 {
			kind = "? "
		}
		t[name] = kind + string(b)
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// drawName returns one of few names, so that files and folders meet.
func drawName(r *rand.Rand) string {
	name := string("abc"[r.IntN(3)])
	for range r.IntN(3) {
		name = path.Join(name, string("abc"[r.IntN(3)]))
	}
	return name
}

func drawFile(r *rand.Rand) string {
	text := []string{"", "same", strings.Repeat("some text, ", 90)}[r.IntN(3)]
	return string("--x"[r.IntN(3)]) + " " + text + fmt.Sprint(r.IntN(4))
}

// drawTrees returns an old version of a folder, which is not empty, and a new one.
func drawTrees(r *rand.Rand) (old, new tree) {
	old = tree{}
	for range 1 + r.IntN(6) {
		old.put(drawName(r), drawFile(r))
	}
	new = maps.Clone(old)
	for range 1 + r.IntN(5) {
		names := slices.Sorted(maps.Keys(new))
		switch k := r.IntN(5); {
		case len(names) == 0 || k == 0:
			new.put(drawName(r), drawFile(r))
		case k == 1 && len(names) > 1:
			delete(new, names[r.IntN(len(names))])
		case k == 2: // another mode
			name := names[r.IntN(len(names))]
			new[name] = map[byte]string{'x': "-", '-': "x"}[new[name][0]] + new[name][1:]
		case k == 3: // a folder
			name := names[r.IntN(len(names))]
			new.put(name+"/in", drawFile(r))
		default: // moved
			name := names[r.IntN(len(names))]
			what := new[name]
			delete(new, name)
			new.put(drawName(r), what)
		}
	}
	return old, new
}

// addForeign puts files into a folder that neither version has.
func addForeign(r *rand.Rand, dir tree) {
	for range r.IntN(4) {
		name := path.Join(path.Dir(drawName(r)), []string{"save", "mod", "link"}[r.IntN(3)])
		if name == "." || dir.blocks(name) {
			continue
		}
		dir[name] = "- of nobody"
		if path.Base(name) == "link" && runtime.GOOS != "windows" {
			dir[name] = "l nowhere"
		}
	}
}

// meddle changes files of the old version, removes some, and puts links where files of the
// new one will be.
func meddle(r *rand.Rand, dir, old, new tree) {
	for name := range old {
		switch r.IntN(6) {
		case 0:
			dir[name] = "- changed by somebody"
		case 1:
			delete(dir, name)
		case 2:
			dir[name] = map[byte]string{'x': "-", '-': "x"}[dir[name][0]] + dir[name][1:]
		}
	}
	for name := range new {
		if r.IntN(6) == 0 && runtime.GOOS != "windows" && !dir.blocks(name) {
			dir[name] = "l elsewhere"
		}
	}
}

// updated returns what a folder has after an update, and whether that is possible: it is
// the new version, and what the old one did not have.
func updated(dir, old, new tree) (want tree, ok bool) {
	want = maps.Clone(new)
	for name, what := range dir {
		if _, there := new[name]; there {
			continue
		}
		if had, there := old[name]; there && what[0] != 'l' && had[1:] == what[1:] {
			continue
		}
		if new.blocks(name) {
			return nil, false
		}
		want[name] = what
	}
	return want, true
}

// runPakdb runs pakdb, and returns its exit code and what it printed.
func runPakdb(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var o bytes.Buffer
	code := execute(t.Context(), cli.New(nil, &o, &o, all.Registry), append([]string{"--catalog", filepath.Join(t.TempDir(), "none.db"), "--quiet"}, args...))
	return code, o.String()
}

// TestTreesAfterUpdates: whatever two versions of a folder are, and whatever else is in it,
// an update makes it the new version and what the old one did not have: names, kinds,
// permissions and contents. Where that cannot be, it changes nothing. Files outside that
// are the same by links stay as they are.
func TestTreesAfterUpdates(t *testing.T) {
	t.Parallel()
	patch := func(t *testing.T, at, old, new string) string {
		file := filepath.Join(at, "p.pkdelta")
		if code, said := runPakdb(t, "delta", "make", old, new, "-o", file); code != cli.ExitOK {
			t.Fatal(said)
		}
		return file
	}
	for name, way := range map[string]struct {
		exact bool
		args  func(t *testing.T, at, old, new, dir string) []string
	}{
		"delta apply": {true, func(t *testing.T, at, old, new, dir string) []string {
			return []string{"delta", "apply", patch(t, at, old, new), dir, "-o", dir}
		}},
		"delta apply --in-place": {true, func(t *testing.T, at, old, new, dir string) []string {
			return []string{"delta", "apply", patch(t, at, old, new), dir, "-o", dir, "--in-place"}
		}},
		"delta apply elsewhere": {false, func(t *testing.T, at, old, new, dir string) []string {
			return []string{"delta", "apply", patch(t, at, old, new), old, "-o", dir}
		}},
		"delta apply elsewhere --in-place": {false, func(t *testing.T, at, old, new, dir string) []string {
			return []string{"delta", "apply", patch(t, at, old, new), old, "-o", dir, "--in-place"}
		}},
		"update": {false, func(t *testing.T, at, old, new, dir string) []string {
			store := filepath.Join(at, "store")
			for _, folder := range []string{old, new} {
				if code, said := runPakdb(t, "publish", folder, "-o", store); code != cli.ExitOK {
					t.Fatal(said)
				}
			}
			return []string{"update", dir, "--from", store}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			draws, refused := testkit.Of(3, 60), 0
			for seed := range uint64(draws) {
				r := rand.New(rand.NewPCG(seed, 7))
				old, new := drawTrees(r)
				here := maps.Clone(old)
				if !way.exact {
					meddle(r, here, old, new)
				}
				addForeign(r, here)
				at := t.TempDir()
				dir := here.write(t, filepath.Join(at, "dir"))
				outside := linkOutside(t, r, here, dir, filepath.Join(at, "outside"))
				args := way.args(t, at, old.write(t, filepath.Join(at, "old")), new.write(t, filepath.Join(at, "new")), dir)
				code, said := runPakdb(t, args...)
				want, ok := updated(here, old, new)
				if !ok {
					want = here
					refused++
				}
				if (code == cli.ExitOK) != ok {
					t.Fatalf("seed %d: exit code %d: %s\nold  %v\nnew  %v\nhere %v", seed, code, said, old, new, here)
				}
				if got := readTree(t, dir); !maps.Equal(got, want) {
					t.Fatalf("seed %d:\nold  %v\nnew  %v\nhere %v\ngot  %v\nwant %v", seed, old, new, here, got, want)
				}
				if got := readTree(t, filepath.Join(at, "outside")); !maps.Equal(got, outside) {
					t.Fatalf("seed %d: outside is now %v", seed, got)
				}
				if err := os.RemoveAll(at); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d of %d were refused", refused, draws)
		})
	}
}

// linkOutside gives some files of a folder other names in a folder outside.
func linkOutside(t *testing.T, r *rand.Rand, here tree, dir, outside string) tree {
	t.Helper()
	linked := tree{}
	if err := os.MkdirAll(outside, 0o777); err != nil {
		t.Fatal(err)
	}
	for i, name := range slices.Sorted(maps.Keys(here)) {
		if here[name][0] == 'l' || r.IntN(3) > 0 {
			continue
		}
		other := fmt.Sprint(i)
		if err := os.Link(filepath.Join(dir, filepath.FromSlash(name)), filepath.Join(outside, other)); err != nil {
			t.Skip("no links here:", err)
		}
		linked[other] = here[name]
	}
	return linked
}

// packed returns what an archive has of a folder: files, without permissions.
func (t tree) packed() tree {
	files := tree{}
	for name, what := range t {
		files[name] = "-" + what[1:]
	}
	return files
}

// TestTreesOfArchives: whatever two versions of a folder are, the game sees the new version
// in an archive of the old one with a patch mounted over it. Extracting that over a folder
// makes it the new version and what only the folder has. A file in the way of a folder, or
// the reverse, stays.
func TestTreesOfArchives(t *testing.T) {
	t.Parallel()
	blocked := 0
	draws := testkit.Of(4, 200)
	for seed := range uint64(draws) {
		r := rand.New(rand.NewPCG(seed, 9))
		old, new := drawTrees(r)
		if len(new) == 0 {
			continue
		}
		at := t.TempDir()
		in := func(name string) string { return filepath.Join(at, name) }
		run := func(want int, args ...string) {
			t.Helper()
			if code, said := runPakdb(t, append(args, "--catalog", in("catalog.db"))...); code != want {
				t.Fatalf("seed %d: exit code %d of %q, want %d: %s\nold %v\nnew %v", seed, code, args, want, said, old, new)
			}
		}
		if err := os.Mkdir(in("game"), 0o777); err != nil {
			t.Fatal(err)
		}
		for name, files := range map[string]tree{"old": old, "new": new} {
			run(cli.ExitOK, "pack", "--type", "unrealpak@11", "--mount", "../../../", files.write(t, in(name)), "-o", in("game/"+name+".pak"))
		}
		run(cli.ExitOK, "patch", "build", in("game/old.pak"), in("game/new.pak"), "-o", in("patch"))
		err := os.Remove(in("game/new.pak"))
		patches, _ := filepath.Glob(in("patch/*.pak"))
		for _, file := range patches {
			err = errors.Join(err, os.Rename(file, in("game/"+filepath.Base(file))))
		}
		if err != nil {
			t.Fatal(err)
		}
		run(cli.ExitOK, "index", "--build", "game", in("game"))
		here := old.packed()
		meddle(r, here, old, new)
		addForeign(r, here)
		if seed%4 > 0 { // else files may be in the way
			maps.DeleteFunc(here, func(name, _ string) bool { return new.blocks(name) })
		}
		want, ok := maps.Clone(here), true
		for name, what := range new.packed() {
			ok = ok && !here.blocks(name)
			want[name] = what
		}
		dir := here.write(t, in("dir"))
		code, said := runPakdb(t, "extract", "--catalog", in("catalog.db"), "--game-paths", "--overwrite", "game", "-o", dir)
		got := readTree(t, dir)
		if !ok {
			blocked++
			maps.DeleteFunc(got, func(name, _ string) bool { return here[name] == "" || new[name] != "" })
			want = maps.Clone(here)
			maps.DeleteFunc(want, func(name, _ string) bool { return new[name] != "" })
		}
		if code != map[bool]int{true: cli.ExitOK, false: cli.ExitProblems}[ok] || !maps.Equal(got, want) {
			t.Fatalf("seed %d: exit code %d: %s\nold  %v\nnew  %v\nhere %v\ngot  %v\nwant %v", seed, code, said, old, new, here, got, want)
		}
		if err := os.RemoveAll(at); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("in %d of %d files were in the way", blocked, draws)
}
