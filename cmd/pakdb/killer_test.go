package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"

	"pakdb/internal/testkit"
)

// killing lets a test kill processes at drawn moments: with PAKDB_DEEP=all, and with
// PAKDB_KILLS=20, twenty times as often. It skips the test in other runs, since no run
// repeats such a moment. Faults at each single operation are in the tests of the packages
// that write, see internal/atomicfile/faulttest; those are in every run.
func killing(t *testing.T) {
	t.Helper()
	if os.Getenv("PAKDB_KILLS") == "" && !testkit.All() || runtime.GOOS == "windows" {
		t.Skip("kills processes by the clock: PAKDB_KILLS=1 or PAKDB_DEEP=all")
	}
	t.Parallel()
}

// killsOf returns how many kills a test does.
func killsOf(n int) int {
	if factor, err := strconv.Atoi(os.Getenv("PAKDB_KILLS")); err == nil && factor > 0 {
		return n * factor
	}
	return n
}

// killer kills commands at times that are drawn from the time that they take.
type killer struct {
	r      *rand.Rand
	whole  time.Duration // that an undisturbed run takes; see kill
	killed int
}

// goesOn reports whether a process is killed once more: so often, or until one was, since on a
// busy machine they may end before.
func (k *killer) goesOn(done, often int) bool {
	return done < often || k.killed == 0 && done < 10*often
}

// kill starts pakdb and kills it after a part of the time that it takes, between
// from and 1, and reports whether it was still running. Where it was not, whole is
// what it took: measured once, under a load that has gone since, it would have all
// later kills come too late.
func (k *killer) kill(t *testing.T, from float64, args ...string) bool {
	t.Helper()
	after := time.Duration((from + (1-from)*k.r.Float64()) * float64(k.whole))
	return k.end(t, after, "", args)
}

// killOnce kills it once a file is there.
func (k *killer) killOnce(t *testing.T, file string, args ...string) bool {
	t.Helper()
	return k.end(t, time.Minute, file, args)
}

func (k *killer) end(t *testing.T, after time.Duration, once string, args []string) bool {
	t.Helper()
	start := time.Now()
	cmd := exec.Command("pakdb", args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	tick := time.NewTicker(200 * time.Microsecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("pakdb %v: %v", args, err)
			}
			k.whole = min(k.whole, time.Since(start))
			return false
		case <-tick.C:
		}
		_, err := os.Stat(once)
		if time.Since(start) < after && (once == "" || err != nil) {
			continue
		}
		_ = cmd.Process.Kill() // it may be over
		var exit *exec.ExitError
		if err := <-ended; err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if cmd.ProcessState.ExitCode() != -1 {
			return false
		}
		k.killed++
		return true
	}
}
