package schema_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"pakdb/internal/testkit"
	"pakdb/internal/testkit/schematest"
	"pakdb/schema"
)

// A step changes a catalog. It is done, or it has not happened.
type step struct {
	name string
	do   func(path string) error
}

// withCatalog opens a catalog, lets do change it, and closes it.
func withCatalog(path string, do func(context.Context, *schema.Catalog) error) error {
	ctx := context.Background()
	c, err := schema.Open(ctx, path)
	if err != nil {
		return err
	}
	return errors.Join(do(ctx, c), c.Close())
}

// addBuild is a build of two archives; the entries begin at first.
func addBuild(label string, first int) step { return addBuildOf(label, first, "") }

// addBuildOf is addBuild of archives whose names have a version.
func addBuildOf(label string, first int, version string) step {
	return step{"build " + label, func(path string) error {
		return withCatalog(path, func(ctx context.Context, c *schema.Catalog) error { return tryBuild(ctx, c, label, first, version) })
	}}
}

func tryBuild(ctx context.Context, c *schema.Catalog, label string, first int, version string) error {
	b, err := c.Begin(ctx, label, time.Unix(1e9, 0)) // the same each time, for [stateOf]
	if err != nil {
		return err
	}
	names := []string{"0" + version + ".pak", "1" + version + ".pak"}
	b.SetNames(names)
	for archive, name := range names {
		sample := func() (*schema.Sample, error) {
			s := &schema.Sample{Given: 20}
			for n := range 20 {
				e := referring(first + 20*archive + n)
				s.Some = append(s.Some, schema.Outline{Name: e.Name, Stored: e.Stored, Size: e.Size})
			}
			return s, nil
		}
		id, err := schematest.TryStart(ctx, b, schema.Archive{Size: int64(first), Quick: digest(first + archive), Scan: "s", Format: "test", Name: name, Sample: sample})
		if err != nil {
			return errors.Join(err, b.Abandon())
		}
		for n := range 20 {
			if err := b.Add(id, referring(first+20*archive+n)); err != nil {
				return errors.Join(err, b.Abandon())
			}
		}
		b.EndArchive(id, nil)
		b.Mount(schema.Mount{Archive: id, Name: name})
	}
	_, err = b.Finish(ctx)
	return err
}

func removeBuilds(labels ...string) step {
	return step{"rm " + strings.Join(labels, " "), func(path string) error {
		return withCatalog(path, func(ctx context.Context, c *schema.Catalog) error {
			if err := c.Remove(ctx, labels...); err != nil {
				return err
			}
			return c.Vacuum(ctx)
		})
	}}
}

// stories are lives of a catalog, which begins as prepare leaves it: by no call, as
// there is none.
func stories() map[string]struct {
	prepare func(path string) error
	steps   []step
} {
	return map[string]struct {
		prepare func(path string) error
		steps   []step
	}{
		"create, scan, replace, remove": {
			steps: []step{addBuild("one", 0), addBuild("two", 30), addBuild("one", 100), removeBuilds("two")},
		},
		"editions": {
			prepare: addBuild("one", 0).do,
			steps:   []step{addBuild("two", 5), addBuild("three", 9), removeBuilds("two")},
		},
		"editions of other names": {
			prepare: addBuildOf("one", 0, "-1.0").do,
			steps:   []step{addBuildOf("two", 5, "-1.1"), addBuildOf("three", 9, "-1.2"), removeBuilds("one")},
		},
		"edited with a rollback journal": {
			prepare: addBuild("one", 0).do,
			steps: []step{{"edit", func(path string) error {
				return rawly(path, "PRAGMA cache_spill = 1", "PRAGMA cache_size = 1", `BEGIN;
					UPDATE x_build SET label = label || '!'; UPDATE x_entry_row SET size = size + 1, stored = stored + 1; COMMIT`)
			}}},
		},
	}
}

// rawly runs statements without anything of pakdb.
func rawly(path string, statements ...string) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

// nothing is what a reader finds before there is a catalog.
const nothing = "nothing"

// shown is all that a reader sees of a catalog.
func shown(path string) (string, error) {
	db, err := schema.OpenReadOnly(context.Background(), path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, schema.ErrEmpty):
		return nothing, nil
	case err != nil:
		return "", err
	}
	defer func() { _ = db.Close() }()
	var ok, rows string
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&ok); err != nil || ok != "ok" {
		return "", fmt.Errorf("integrity_check: %s, %w", ok, err)
	}
	err = db.QueryRow(`SELECT coalesce(group_concat(build || ' ' || n || ' ' || size || ' ' || refs, '; '), '') FROM (
		SELECT b.build, count(e.ordinal) AS n, sum(e.size) AS size, count(DISTINCT e.path) + count(DISTINCT e.content) AS refs
		FROM builds b LEFT JOIN entries e ON e.build = b.build GROUP BY b.build_id ORDER BY b.build)`).Scan(&rows)
	return "builds: " + rows, err
}

// moment is a catalog between two steps: the folder it lies in, and what is shown.
type moment struct{ folder, shown string }

func (m moment) path() string { return filepath.Join(m.folder, "pakdb.db") }

// undisturbed runs a story and returns the moments before it and after each step.
func undisturbed(t *testing.T, prepare func(string) error, steps []step) (all []moment) {
	t.Helper()
	next := func(do func(path string) error) {
		m := moment{folder: filepath.Join(t.TempDir(), "x")}
		var err error
		if len(all) > 0 {
			err = copyFiles(all[len(all)-1].folder, m.folder)
		} else {
			err = os.Mkdir(m.folder, 0o777)
		}
		if do != nil {
			err = errors.Join(err, do(m.path()))
		}
		var showErr error
		m.shown, showErr = shown(m.path())
		if err := errors.Join(err, showErr); err != nil {
			t.Fatal(err)
		}
		all = append(all, m)
	}
	next(prepare)
	for _, s := range steps {
		next(s.do)
	}
	return all
}

// goesOn checks that a catalog shows one of the states, and that the next commands
// work: a reader, then one that scans and removes, then a reader again.
func goesOn(path string, states []string) error {
	before, err := shown(path)
	if err != nil {
		return fmt.Errorf("the next reader: %w", err)
	}
	if slices.Contains(states, nothing) {
		states = append(states[:len(states):len(states)], "builds: ") // a catalog is made before its first build
	}
	if !slices.Contains(states, before) {
		return fmt.Errorf("shows %q, want one of %q", before, states)
	}
	err = withCatalog(path, func(ctx context.Context, c *schema.Catalog) error {
		if err := tryBuild(ctx, c, "next", 200, ""); err != nil {
			return fmt.Errorf("a scan: %w", err)
		}
		if err := c.Remove(ctx, "next"); err != nil {
			return fmt.Errorf("rm: %w", err)
		}
		return c.Vacuum(ctx)
	})
	if err != nil {
		return fmt.Errorf("the next command: %w", err)
	}
	after, err := shown(path)
	if err != nil {
		return fmt.Errorf("after the next scan and rm: %w", err)
	}
	if strings.HasPrefix(before, "builds: ") && after != before {
		return fmt.Errorf("after the next scan and rm %q, before %q", after, before)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if len(left) != 1 {
		return fmt.Errorf("files are left: %q", left)
	}
	return nil
}

// stride is which calls a test takes: one in a few, or all of them
// when PAKDB_EVERY_CALL is set, which takes ten minutes.
func stride(t *testing.T, name string) (first, every int) {
	every = testkit.Of(1200, 32)
	if os.Getenv("PAKDB_EVERY_CALL") != "" {
		every = 1
	}
	return 1 + rand.New(rand.NewPCG(testkit.Seed(t), uint64(len(name)))).IntN(min(every, 40)), every
}

// A process that is killed at any call leaves files from which the next one goes
// on. By half: a write that was under way reached the disk by half.
func TestKilledAtEveryCall(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of catalogs, one after the other")
	}
	disk := installDisk(t)
	var done judged
	for name, story := range testkit.SomeOf(stories(), 2) {
		t.Run(name, func(t *testing.T) {
			moments := undisturbed(t, story.prepare, story.steps)
			for i, s := range story.steps {
				if !testkit.Deep() && i%2 == 0 { // the others are those of TestFailingDisk
					continue
				}
				states := []string{moments[i].shown, moments[i+1].shown}
				left := killed(t, disk, s, moments[i].folder)
				var all errgroup.Group
				all.SetLimit(runtime.GOMAXPROCS(0))
				for _, folder := range left {
					all.Go(func() error {
						if err := done.goesOn(folder, states); err != nil {
							t.Errorf("%s: %s: %v", s.name, filepath.Base(folder), err)
						}
						return nil
					})
				}
				_ = all.Wait()
				t.Logf("%s: %d kills, %d different folders so far", s.name, len(left), done.count())
			}
		})
	}
}

// killed does a step in a copy of a folder and returns folders that are as a kill
// at each call would leave it.
func killed(t *testing.T, disk *faultyDisk, s step, begin string) (left []string) {
	t.Helper()
	dir := t.TempDir()
	live := filepath.Join(dir, "live")
	errs := []error{copyFiles(begin, live)}
	leave := func(name string) string {
		left = append(left, filepath.Join(dir, name))
		errs = append(errs, copyFiles(live, left[len(left)-1]))
		return left[len(left)-1]
	}
	first, every := stride(t, s.name)
	disk.Watch(func(c diskCall) diskFault {
		if c.N%every != first%every {
			return diskFault{}
		}
		file := filepath.Base(c.File)
		byHalf := c.Op == diskWrite
		if !byHalf || c.N%2 == 0 || testkit.Deep() {
			leave(fmt.Sprintf("call %d, %s %s", c.N, c.Op, file))
		}
		if byHalf && (c.N%2 != 0 || testkit.Deep()) {
			folder := leave(fmt.Sprintf("call %d, write %s by half", c.N, file))
			errs = append(errs, writeAt(filepath.Join(folder, file), c.Offset, c.Data[:len(c.Data)/2]))
		}
		return diskFault{}
	})
	defer disk.Watch(nil)
	errs = append(errs, s.do(filepath.Join(live, "pakdb.db")))
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return left
}

func copyFiles(from, to string) error {
	err := os.CopyFS(to, os.DirFS(from))
	_ = os.Remove(filepath.Join(to, "pakdb.db.lock")) // the system's, and gone with the process
	return err
}

func writeAt(path string, off int64, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(data, off)
	return errors.Join(err, f.Close())
}

// fails is how a disk fails at a call: by turns with no room and with an I/O error
// where a write can have both.
func fails(c diskCall) diskFault {
	switch c.Op {
	case diskWrite:
		if c.N%2 == 0 {
			return diskFault{Code: diskFull}
		}
		return diskFault{Code: diskWriteError, Torn: true}
	case diskSync:
		return diskFault{Code: diskSyncError}
	case diskDelete:
		return diskFault{Code: diskDeleteError}
	case diskCreate:
		return diskFault{Code: diskCannotOpen}
	}
	return diskFault{Code: diskError}
}

// A call that fails, once or from then on, ends a step with an error, or does no
// harm. The step has happened or it has not, and when the disk is well again all
// that was there still is.
func TestFailingDisk(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of catalogs, one after the other")
	}
	disk := installDisk(t)
	var done judged
	for name, story := range testkit.SomeOf(stories(), 2) {
		t.Run(name, func(t *testing.T) {
			moments := undisturbed(t, story.prepare, story.steps)
			for i, s := range story.steps {
				if !testkit.Deep() && i%2 != 0 { // the others are those of TestKilledAtEveryCall
					continue
				}
				calls := 0
				for at, every := stride(t, s.name); ; at += every {
					more := false
					for n, once := range []bool{true, false} {
						if !testkit.Deep() && n != (i+calls)%2 { // by turns
							continue
						}
						more = failAt(t, disk, &done, s, moments[i:i+2], at, once) || more
					}
					if !more {
						break
					}
					calls++
				}
				t.Logf("%s: %d calls, %d different folders so far", s.name, calls, done.count())
			}
		})
	}
}

// failAt does a step on a disk that fails at the at-th call, and reports whether
// there was one.
func failAt(t *testing.T, disk *faultyDisk, done *judged, s step, m []moment, at int, once bool) (failed bool) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "x")
	if err := copyFiles(m[0].folder, folder); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "pakdb.db")
	var where diskCall
	disk.Watch(func(c diskCall) diskFault {
		if c.N == at {
			failed, where = true, diskCall{Op: c.Op, File: c.File}
		}
		if c.N == at || c.N > at && !once {
			return fails(c)
		}
		return diskFault{}
	})
	err := s.do(path)
	disk.Watch(nil)
	states := []string{m[0].shown, m[1].shown}
	if err == nil {
		states = states[1:] // it said that it was done
	}
	if err := done.goesOn(folder, states); err != nil {
		t.Errorf("%s: call %d, %s %s, once %v: %v", s.name, at, where.Op, filepath.Base(where.File), once, err)
	}
	return failed
}

// A journal that has to be rolled back is, where somebody may write; elsewhere the
// error says so, and not that there is no catalog. A database of someone else is left
// alone.
func TestHotJournal(t *testing.T) {
	disk := installDisk(t)
	hot := func(prepare func(string) error, statements ...string) string {
		path := filepath.Join(t.TempDir(), "pakdb.db")
		if err := prepare(path); err != nil {
			t.Fatal(err)
		}
		left := filepath.Join(t.TempDir(), "left")
		disk.Watch(func(c diskCall) diskFault {
			if c.Op == diskDelete && filepath.Base(c.File) == "pakdb.db-journal" && !isThere(left) {
				if err := copyFiles(filepath.Dir(path), left); err != nil {
					t.Error(err)
				}
			}
			return diskFault{}
		})
		defer disk.Watch(nil)
		if err := rawly(path, statements...); err != nil {
			t.Fatal(err)
		}
		return filepath.Join(left, "pakdb.db")
	}
	const edit = "UPDATE x_build SET label = 'x'"
	path := hot(addBuild("one", 0).do, edit)
	if got, err := shown(path); err != nil || got != "builds: one 40 4000 80" {
		t.Errorf("%q, %v", got, err)
	}
	path = hot(addBuild("one", 0).do, edit)
	if err := os.Chmod(filepath.Dir(path), 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(filepath.Dir(path), 0o755) }()
	if f, err := os.Create(filepath.Join(filepath.Dir(path), "x")); err == nil {
		_ = f.Close()
		t.Log("this user may write anywhere")
	} else if _, err := shown(path); !errors.Is(err, schema.ErrUnfinished) {
		t.Errorf("in a folder that is not writable: %v, want ErrUnfinished", err)
	}
	other := hot(func(path string) error {
		return rawly(path, "PRAGMA application_id = 7; CREATE TABLE t (x); CREATE TABLE u (x); INSERT INTO t VALUES (1)")
	}, "UPDATE t SET x = 2")
	if _, err := shown(other); !errors.Is(err, schema.ErrNotCatalog) || !isThere(other+"-journal") {
		t.Errorf("of someone else: %v; its journal stays: %v", err, isThere(other+"-journal"))
	}
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
