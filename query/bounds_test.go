package query_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"pakdb/internal/testkit"
	"pakdb/query"
	"pakdb/schema"
)

// greedy are statements that take time or memory without end, or a single
// operation of SQLite that does.
func greedy() map[string]string {
	const forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
	return map[string]string{
		"randomblob":        "SELECT length(randomblob(300000000))",
		"randomblobs":       forever + "SELECT sum(length(randomblob(90000000))) FROM n",
		"zeroblob":          "SELECT hex(zeroblob(2000000000))",
		"printf":            forever + "SELECT sum(length(printf('%.*c', 90000000, 'x'))) FROM n",
		"replace":           "SELECT replace(replace(replace(hex(zeroblob(40000)), '0', 'aaaaaaaaaaaaaaaa'), 'a', 'bbbbbbbbbbbbbbbb'), 'b', 'cccccccccc')",
		"recursive":         forever + "SELECT count(*) FROM n",
		"group_concat":      forever + "SELECT length(group_concat(i)) FROM n",
		"like":              "SELECT hex(zeroblob(20000000)) LIKE '%' || hex(zeroblob(240)) || '1'",
		"like, long":        "SELECT hex(zeroblob(40000000)) LIKE '%' || hex(zeroblob(40000)) || '1'",
		"glob":              "SELECT hex(zeroblob(20000000)) GLOB '*' || hex(zeroblob(240)) || '1'",
		"instr":             "SELECT instr(hex(zeroblob(40000000)), hex(zeroblob(10000000)) || '1')",
		"regexp":            "SELECT hex(zeroblob(40000000)) REGEXP '(0?){500}(0?){500}1'",
		"sort":              forever + "SELECT i, randomblob(1000) FROM n ORDER BY 2",
		"distinct":          forever + "SELECT DISTINCT randomblob(1000) FROM n",
		"a row, then none":  "SELECT 1 UNION ALL SELECT * FROM (" + forever + "SELECT i FROM n WHERE i < 0)",
		"one after another": strings.Repeat("SELECT 1;", 10) + forever + "SELECT count(*) FROM n",
	}
}

// Whatever a statement does, its time ends it, and the next one
// runs.
func TestTimeEndsAnyStatement(t *testing.T) {
	if !inProcessOfItsOwn(t) { // what is left behind runs on
		return
	}
	db := openSmall(t)
	for name, text := range testkit.SomeOf(greedy(), 4) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			defer cancel()
			begun := time.Now()
			err := db.Run(ctx, text, query.Args{}, query.Output{W: io.Discard})
			took := time.Since(begun)
			if err == nil || !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, query.ErrUsage) {
				t.Errorf("%v, want the time to be up or the statement to be refused", err)
			}
			if took > 20*time.Second { // a second on a quiet machine; without a limit minutes
				t.Errorf("took %s", took)
			}
			if err := db.Run(context.Background(), "SELECT count(*) FROM builds", query.Args{}, query.Output{W: io.Discard}); err != nil {
				t.Errorf("the next statement: %v", err)
			}
		})
	}
}

// inProcessOfItsOwn runs the test again in a new process, unless this is that one.
func inProcessOfItsOwn(t *testing.T) bool {
	t.Helper()
	if os.Getenv("PAKDB_TEST_ALONE") != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "PAKDB_TEST_ALONE=1", "GOGC=", "GOMEMLIMIT=") // memory as users have it
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// Memory is limited from the start of a process on.
func TestMemoryIsLimited(t *testing.T) {
	testkit.NotShort(t)
	if !inProcessOfItsOwn(t) {
		return
	}
	if err := schema.LimitMemory(64 << 20); err != nil {
		t.Fatal(err)
	}
	db := openSmall(t)
	for _, name := range []string{"sort", "distinct", "printf", "zeroblob", "replace"} {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		err := db.Run(ctx, greedy()[name], query.Args{}, query.Output{W: io.Discard})
		cancel()
		want := query.ErrFailed // no memory
		if name == "zeroblob" || name == "printf" || name == "replace" {
			want = query.ErrUsage // a value of more than a tenth of it
		}
		if !errors.Is(err, want) || query.Hint(err) == "" {
			t.Errorf("%s: %v (hint %q), want %v", name, err, query.Hint(err), want)
		}
		if err := db.Run(context.Background(), "SELECT count(*) FROM entries", query.Args{}, query.Output{W: io.Discard}); err != nil {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

// Rows of twice the limit are sorted, in temporary files. What SQLite takes is what its allocator
// takes for it: values of 1,100 bytes take 2,048 each. The whole process stays within a quarter of
// the limit.
func TestMemoryOfTheProcess(t *testing.T) {
	testkit.NotShort(t)
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is read as Linux tells it")
	}
	if testing.Short() {
		t.Skip("short runs are those with the race detector, which takes memory of its own")
	}
	if !inProcessOfItsOwn(t) {
		return
	}
	const limit = 192 << 20
	if err := schema.LimitMemory(limit); err != nil {
		t.Fatal(err)
	}
	db := openSmall(t)
	for _, size := range testkit.Some([]int{1100, 300, 8300, 17000}, 1) {
		text := fmt.Sprintf("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT %d) "+
			"SELECT count(*) FROM (SELECT randomblob(%d) AS b FROM c GROUP BY b)", 2*limit/size, size)
		if err := db.Run(context.Background(), text, query.Args{}, query.Output{W: io.Discard}); err != nil {
			t.Errorf("rows of %d bytes, which are sorted in temporary files: %v", size, err)
		}
	}
	many := "SELECT " + strings.Repeat("hex(zeroblob(9000000)), ", 40) + "1"
	if err := db.Run(context.Background(), many, query.Args{}, query.Output{W: io.Discard}); !errors.Is(err, query.ErrFailed) {
		t.Errorf("values of 720 MB: %v", err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Fatal(err)
	}
	if kib<<10 > limit*5/4 {
		t.Errorf("%d MiB of a limit of %d MiB", kib>>10, limit>>20)
	}
}

// A statement of several lines that was made one does what it did.
func TestOneLine(t *testing.T) {
	db := openSmall(t)
	for _, text := range []string{
		"SELECT 1\n  AS n -- one\n, 'a\nb''c\n' AS \"it's\" /* two\nlines */\n-- end */ '\n;",
		"SELECT 'x' || 'a\nb' COLLATE NOCASE = 'XA\nB' AS same",
		"SELECT '--\n' AS a, \"--\" FROM (SELECT 2 AS \"--\")",
	} {
		line, ok := query.OneLine(text)
		if !ok || strings.Contains(line, "\n") {
			t.Errorf("%q: %q %v", text, line, ok)
		}
		want, err := run(t, db, text, query.Args{}, query.Output{Format: "json"})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := run(t, db, line, query.Args{}, query.Output{Format: "json"}); got != want || err != nil {
			t.Errorf("%q: %q %v, want %q", line, got, err, want)
		}
	}
	if line, ok := query.OneLine("SELECT 1 AS \"a\nb\""); ok {
		t.Errorf("a name with a line break: %q", line)
	}
}
