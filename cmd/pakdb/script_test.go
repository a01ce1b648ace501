package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pakdb/codecs/codecstest"
	"pakdb/internal/testkit"
	"pakdb/schema"
)

func TestMain(m *testing.M) {
	// Tests that run commands in this process open databases before others limit
	// the memory of SQL, which SQLite has to be told first.
	if err := schema.LimitMemory(0); err != nil {
		panic(err)
	}
	// A shell has what it starts in the background ignore Ctrl-C, and so the commands that
	// the tests start and end by it, for which they would wait for ever.
	if signal.Ignored(os.Interrupt) {
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	// Commands end before collecting garbage pays: without it they take a quarter less CPU.
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		if err := errors.Join(os.Setenv("GOGC", "off"), os.Setenv("GOMEMLIMIT", "1GiB")); err != nil {
			panic(err)
		}
	}
	testscript.Main(m, map[string]func(){
		"pakdb":     main,
		"mksip":     mksip,
		"mkpak":     mkpak,
		"mkupkg":    mkupkg,
		"mkupak":    mkupak,
		"mkjournal": mkjournal,
		"s3serve":   s3serve,
	})
}

// inFull reports whether a test takes all of its cases: with PAKDB_DEEP, to rewrite them, or if
// -run names it.
func inFull(test string) bool {
	return testkit.Deep() || os.Getenv("PAKDB_UPDATE_SCRIPTS") != "" || strings.Contains(flag.Lookup("test.run").Value.String(), test)
}

// The scripts run the real command, in 1,700 processes: by default a quarter of the scripts.
// $DATA is the folder of the fixtures.
func TestScripts(t *testing.T) {
	t.Parallel()
	root := codecstest.ModuleRoot(t)
	scripts, err := filepath.Glob(filepath.Join(root, "testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if !inFull("TestScripts") {
		scripts = testkit.Some(scripts, len(scripts)/4)
	}
	testscript.Run(t, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", filepath.Join(root, "testdata"))
			env.Setenv("PAKDB_CATALOG", "")
			env.Setenv("GOGC", os.Getenv("GOGC"))
			env.Setenv("GOMEMLIMIT", os.Getenv("GOMEMLIMIT"))
			env.Setenv("SAMPLES", samplesFolder(root))
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "deep":
				return testkit.Deep(), nil
			case "samples":
				_, err := os.Stat(samplesFolder(root))
				return err == nil, nil
			}
			return false, fmt.Errorf("no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"bytes":   overwriteBytes,
			"cut":     cut,
			"count":   countFiles,
			"waitfor": waitFor,
		},
		UpdateScripts: os.Getenv("PAKDB_UPDATE_SCRIPTS") != "",
	})
}

// samplesFolder is where other people's samples are, see [codecstest.Sample].
// The condition [samples] of the scripts is that there is one.
func samplesFolder(root string) string {
	if dir := os.Getenv("PAKDB_SAMPLES"); dir != "" {
		return dir
	}
	return filepath.Join(root, "..", "shared", "samples")
}

// exits CODE COMMAND... runs a command that must end with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// bytes FILE OFFSET HEX overwrites bytes of a file; an offset below zero counts
// from the end.
func overwriteBytes(ts *testscript.TestScript, _ bool, args []string) {
	file := ts.MkAbs(args[0])
	b, err := os.ReadFile(file)
	ts.Check(err)
	off, err := strconv.Atoi(args[1])
	ts.Check(err)
	if off < 0 {
		off += len(b)
	}
	v, err := strconv.ParseUint(args[2], 16, 8)
	ts.Check(err)
	b[off] = byte(v)
	ts.Check(os.WriteFile(file, b, 0o600))
}

// cut FILE SIZE shortens a file.
func cut(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

// count N DIR checks how many files are below a folder.
func countFiles(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	n := 0
	err = filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
		}
		return err
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		ts.Fatalf("%v", err)
	}
	if n != want {
		ts.Fatalf("%d files in %s, want %d", n, args[1], want)
	}
}
