package schema_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// judged has the folders that [goesOn] has examined, by what it depends on: a folder in the
// same state goes on in the same way.
type judged struct {
	mu   sync.Mutex
	seen map[string]bool
}

// goesOn is [goesOn] for the first of all folders in one state of which the same is
// expected, and counts these.
func (j *judged) goesOn(folder string, states []string) error {
	state, err := stateOf(folder)
	if err != nil {
		return err
	}
	key := fmt.Sprintf("%q %s", states, state)
	j.mu.Lock()
	before := j.seen[key]
	if j.seen == nil {
		j.seen = map[string]bool{}
	}
	j.seen[key] = true
	j.mu.Unlock()
	if before {
		return nil
	}
	return goesOn(filepath.Join(folder, "pakdb.db"), states)
}

// count returns how many folders were examined.
func (j *judged) count() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.seen)
}

// stateOf hashes what the next process sees of a folder. Of a write-ahead log that is what is
// committed: SQLite reads nothing after the last frame of a commit. Of the log's index it is
// that there is one: the first that opens it makes it anew. Of a seal it is that the file has
// its time, not which time.
func stateOf(folder string) (string, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return "", err
	}
	all := sha256.New()
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		switch filepath.Base(name) {
		case "pakdb.db-wal":
			data = data[:committed(data)]
		case "pakdb.db":
			st, err := os.Stat(name)
			if err != nil {
				return "", err
			}
			data = withoutSeal(data, st.ModTime())
		case "pakdb.db-shm":
			data = nil
		}
		fmt.Fprintf(all, "%s %x\n", filepath.Base(name), sha256.Sum256(data))
	}
	return string(all.Sum(nil)), nil
}

// withoutSeal clears the two times of a valid seal, of 8 bytes each, in the bytes of a file
// that has the first of them.
func withoutSeal(data []byte, at time.Time) []byte {
	const times = 16
	seal := binary.BigEndian.AppendUint64(nil, uint64(at.UnixMicro()))
	if i := bytes.Index(data, seal); i >= 0 && i+times <= len(data) {
		clear(data[i : i+times])
	}
	return data
}

// committed returns how many bytes of a write-ahead log SQLite reads: up to the end of the
// last frame that ends a transaction, of those whose salts and checksums follow from one
// another. See https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
func committed(log []byte) (end int) {
	const head, frameHead = 32, 24
	if len(log) < head {
		return 0
	}
	var order binary.ByteOrder = binary.LittleEndian
	if log[3]&1 != 0 {
		order = binary.BigEndian
	}
	var a, b uint32
	sum := func(part []byte) {
		for ; len(part) >= 8; part = part[8:] {
			a += order.Uint32(part) + b
			b += order.Uint32(part[4:]) + a
		}
	}
	matches := func(stored []byte) bool {
		return binary.BigEndian.Uint32(stored) == a && binary.BigEndian.Uint32(stored[4:]) == b
	}
	page := int(binary.BigEndian.Uint32(log[8:]))
	sum(log[:24])
	if !matches(log[24:]) || page < 512 {
		return 0
	}
	for at := head; at+frameHead+page <= len(log); at += frameHead + page {
		frame := log[at : at+frameHead+page]
		sum(frame[:8])
		sum(frame[frameHead:])
		if !bytes.Equal(frame[8:16], log[16:24]) || !matches(frame[16:]) {
			break
		}
		if binary.BigEndian.Uint32(frame[4:]) != 0 {
			end = at + frameHead + page
		}
	}
	return end
}

// TestCommittedPart: a reader of a log sees no more than of its committed part, wherever
// the log ends.
func TestCommittedPart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pakdb.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA journal_mode = wal", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)", "PRAGMA wal_checkpoint(TRUNCATE)",
		"INSERT INTO t VALUES (zeroblob(9000))", "INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (zeroblob(30000))"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	image, err := os.ReadFile(path)
	log, logErr := os.ReadFile(path + "-wal")
	if err := errors.Join(err, logErr); err != nil {
		t.Fatal(err)
	}
	rows := func(part []byte) (n int) {
		t.Helper()
		other := filepath.Join(t.TempDir(), "x.db")
		if err := errors.Join(os.WriteFile(other, image, 0o600), os.WriteFile(other+"-wal", part, 0o600)); err != nil {
			t.Fatal(err)
		}
		db, err := sql.Open("sqlite", other)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		err = db.QueryRow("SELECT count(*) FROM t").Scan(&n)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	seen := map[int]bool{}
	for size := len(log); size >= 0; size -= 1100 {
		n := rows(log[:size])
		if end := committed(log[:size]); end > size || n != rows(log[:end]) {
			t.Errorf("of %d bytes: %d rows, of the first %d bytes %d", size, n, end, rows(log[:end]))
		}
		seen[n] = true
	}
	if end := committed(log); len(seen) != 4 || end != len(log) {
		t.Errorf("%d numbers of rows, want 4; %d bytes of %d are committed", len(seen), end, len(log))
	}
}
