package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/codecs/all"
	"pakdb/codecs/codecstest"
	"pakdb/internal/testkit"
	"pakdb/schema"
)

func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); name == "pakdb" || name == "pakdb.exe" {
		main()
	}
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
	dir, err := onPath()
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir) // there is nothing else to do about it
	os.Exit(code)
}

// onPath puts this program on the PATH by the name pakdb, for tests that need a process of
// its own, and returns the folder that it is in. It is not [testscript.Main] that does so:
// that one has scripts start a process for each command.
func onPath() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "pakdb-test"); err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "pakdb"+filepath.Ext(self))
	if filepath.Ext(self) != ".exe" {
		name = filepath.Join(dir, "pakdb")
	}
	if os.Link(self, name) != nil { // another disk
		program, err := os.ReadFile(self)
		if err == nil {
			err = os.WriteFile(name, program, 0o700)
		}
		if err != nil {
			return "", err
		}
	}
	return dir, os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// inFull reports whether a test takes all of its cases: with PAKDB_DEEP, to rewrite them, or if
// -run names it.
func inFull(test string) bool {
	return testkit.Deep() || os.Getenv("PAKDB_UPDATE_SCRIPTS") != "" || strings.Contains(flag.Lookup("test.run").Value.String(), test)
}

// The scripts run the command in this process, one after the other, since each has its own
// working folder and environment: 1,700 processes took longer than what they did. By default
// a ninth of the scripts. $DATA is the folder of the fixtures.
func TestScripts(t *testing.T) {
	root := codecstest.ModuleRoot(t)
	scripts, err := filepath.Glob(filepath.Join(root, "testdata", "script", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	if !inFull("TestScripts") {
		scripts = testkit.Some(scripts, len(scripts)/9)
	}
	run := &inProcess{}
	testscript.RunT(oneByOne{t}, testscript.Params{
		Files: scripts,
		Setup: func(env *testscript.Env) error {
			env.Setenv("DATA", filepath.Join(root, "testdata"))
			env.Setenv("PAKDB_CATALOG", "")
			env.Setenv("GOGC", os.Getenv("GOGC"))
			env.Setenv("GOMEMLIMIT", os.Getenv("GOMEMLIMIT"))
			env.Setenv("SAMPLES", samplesFolder(root))
			return run.begin(env, scripts)
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
			"pakdb":     run.pakdb,
			"exits":     run.exits,
			"bytes":     overwriteBytes,
			"cut":       cut,
			"count":     countFiles,
			"mksip":     makes(mksip),
			"mkpak":     makes(mkpak),
			"mkupkg":    makes(mkupkg),
			"mkupak":    makes(mkupak),
			"mkjournal": mkjournal,
			"decide":    decide,
			"s3serve":   s3serve,
		},
		UpdateScripts: os.Getenv("PAKDB_UPDATE_SCRIPTS") != "",
	})
}

// makes is a command that writes a file.
func makes(write func(file string, args []string) error) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, _ bool, args []string) { ts.Check(write(ts.MkAbs(args[0]), args[1:])) }
}

// samplesFolder is where other people's samples are, see [codecstest.Sample].
// The condition [samples] of the scripts is that there is one.
func samplesFolder(root string) string {
	if dir := os.Getenv("PAKDB_SAMPLES"); dir != "" {
		return dir
	}
	return filepath.Join(root, "..", "shared", "samples")
}

// oneByOne runs scripts one after the other.
type oneByOne struct{ *testing.T }

func (o oneByOne) Parallel()     {}
func (o oneByOne) Verbose() bool { return testing.Verbose() }
func (o oneByOne) Run(name string, f func(testscript.T)) {
	o.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}

// inProcess runs pakdb for scripts.
type inProcess struct {
	variables []string // names of all that scripts set
}

// begin notes the variables of the environment that a script begins with, and all that
// scripts set.
func (p *inProcess) begin(env *testscript.Env, scripts []string) error {
	if len(p.variables) > 0 {
		return nil
	}
	for _, v := range env.Vars {
		name, _, _ := strings.Cut(v, "=")
		p.variables = append(p.variables, name)
	}
	for _, file := range scripts {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for _, line := range setsVariables.FindAll(text, -1) {
			for _, set := range assigns.FindAllSubmatch(line, -1) {
				p.variables = append(p.variables, string(set[1]))
			}
		}
	}
	return nil
}

var (
	setsVariables = regexp.MustCompile(`(?m)^(?:\[.*\] *)*env .*`)
	assigns       = regexp.MustCompile(` (\w+)=`)
)

// run runs pakdb with a script's folder and environment, and returns its exit code. One that
// is limited to so much memory is a process: SQLite is told once.
func (p *inProcess) run(ts *testscript.TestScript, args []string) int {
	if ts.Getenv("PAKDB_MAX_MEMORY") != "" {
		return startAndWait(ts, "pakdb", args)
	}
	var env []string
	for _, name := range p.variables {
		env = append(env, name+"="+ts.Getenv(name))
	}
	code, err := executeIn(ts.MkAbs("."), env, ts.Stdout(), ts.Stderr(), args)
	ts.Check(err)
	return code
}

// executeIn runs pakdb in this process with a folder and an environment of its own, which no
// other test may do at the same time, and returns its exit code.
func executeIn(folder string, env []string, stdout, stderr io.Writer, args []string) (code int, err error) {
	back, err := os.Getwd()
	if err == nil {
		err = os.Chdir(folder)
	}
	if err != nil {
		return 0, err
	}
	before := os.Environ()
	err = environment(env)
	if err == nil {
		code = execute(context.Background(), cli.New(strings.NewReader(""), stdout, stderr, all.Registry), args)
	}
	return code, errors.Join(err, environment(before), os.Chdir(back))
}

// environment sets all variables of the environment.
func environment(env []string) (err error) {
	os.Clearenv()
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		err = errors.Join(err, os.Setenv(name, value))
	}
	return err
}

// startAndWait runs a program and returns its exit code.
func startAndWait(ts *testscript.TestScript, program string, args []string) int {
	err := ts.Exec(program, args...)
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		ts.Fatalf("%s: %v", program, err)
	}
	return exit.ExitCode()
}

// pakdb ARG... runs pakdb.
func (p *inProcess) pakdb(ts *testscript.TestScript, neg bool, args []string) {
	if code := p.run(ts, args); neg != (code != 0) {
		ts.Fatalf("exit code %d", code)
	}
}

// exits CODE COMMAND ARG... runs a command that must end with that exit code.
func (p *inProcess) exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if args[1] == "pakdb" {
		code = p.run(ts, args[2:])
	} else {
		code = startAndWait(ts, args[1], args[2:])
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
