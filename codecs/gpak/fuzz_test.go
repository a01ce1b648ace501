package gpak_test

import (
	"testing"

	"pakdb/codecs"
	"pakdb/codecs/codecstest"
	"pakdb/codecs/gpak"
)

func FuzzKAPG(f *testing.F) {
	codecstest.FuzzOpen(f, gpak.Format(), nil,
		change(func(*kapgEntry) {}),
		change(func(e *kapgEntry) { e.off = 0 }),
		change(func(e *kapgEntry) { e.size = 1020 }),
		kapgFile(nil),
		kapgFile([]byte{0}, raw("A", 0)),
		signedOrder(),
	)
}

// Coverage of SQLite changes from run to run, which makes minimizing endless: run
// with -fuzzminimizetime 1x.
func FuzzDatabase(f *testing.F) {
	const small = `PRAGMA page_size = 512`
	codecstest.FuzzOpen(f, gpak.Format(), nil,
		database(f, small, table, ver15, rowA),
		database(f, small, table, ver16, rowA16),
		database(f, small, `CREATE TABLE data_tbl (i INTEGER PRIMARY KEY, n, b, l, s)`, ver16, `INSERT INTO data_tbl VALUES (1, 'A', zeroblob(700), 9, 0)`),
	)
}

// What Probe takes for a pak must not surprise Open, and the other way round.
func FuzzProbe(f *testing.F) {
	f.Add(kapgFile(nil))
	f.Add(database(f, `PRAGMA page_size = 512`, table, ver15))
	f.Fuzz(func(t *testing.T, b []byte) {
		src := codecstest.Bytes("fuzz", b)
		m, err := gpak.Format().Probe(src)
		if err != nil {
			t.Fatal(err)
		}
		a, err := gpak.Format().Open(t.Context(), src, nil)
		if err != nil {
			return
		}
		if err := a.Close(); err != nil || m != codecs.MagicMatch {
			t.Fatalf("opens, but Probe = %v; close: %v", m, err)
		}
	})
}
