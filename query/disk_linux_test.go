package query_test

import (
	"errors"
	"io"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"pakdb/query"
)

// A disk without room for temporary files is the machine's fault, and not the catalog's.
func TestTemporaryFilesFail(t *testing.T) {
	if !inProcessOfItsOwn(t) {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: 1 << 20}); err != nil {
		t.Skip(err)
	}
	db := openSmall(t)
	err := db.Run(t.Context(), "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 20000) "+
		"SELECT count(*) FROM (SELECT randomblob(1000) AS b FROM c GROUP BY b)", query.Args{}, query.Output{W: io.Discard})
	if !errors.Is(err, query.ErrFailed) || !strings.Contains(err.Error(), "temporary files") || !strings.Contains(query.Hint(err), "TMPDIR") {
		t.Errorf("%v (hint %q)", err, query.Hint(err))
	}
	if err := db.Run(t.Context(), "SELECT count(*) FROM entries", query.Args{}, query.Output{W: io.Discard}); err != nil {
		t.Errorf("the next statement: %v", err)
	}
}
