package web

import (
	"bytes"
	"compress/gzip"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// table is a list as programs get it.
type table struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Next      string   `json:"next,omitempty"` // where the next page begins; "" for nowhere
	Truncated bool     `json:"truncated"`      // there are more rows than a page may have
	Advice    string   `json:"advice,omitempty"`
	Elapsed   float64  `json:"ms"`
}

// exactInteger is up to which integers JavaScript has them all.
const exactInteger = 1 << 53

// value is a value of SQL as JSON has it: integers that JavaScript would round are text, as
// are blobs, in hex digits.
func value(v driver.Value) any {
	switch v := v.(type) {
	case int64:
		return integer(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
	case []byte:
		return hex.EncodeToString(v)
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	}
	return v
}

func integer(n int64) any {
	if n > exactInteger || n < -exactInteger {
		return strconv.FormatInt(n, 10)
	}
	return n
}

// milliseconds since a time, to the tenth.
func milliseconds(since time.Time) float64 {
	return math.Round(float64(time.Since(since).Microseconds())/100) / 10
}

func writeJSON(w http.ResponseWriter, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		fail(w, err)
		return
	}
	writeBody(w, "application/json; charset=utf-8", body)
}

// reply answers with a value, or returns the error in its place.
func reply(w http.ResponseWriter, v any, err error) error {
	if err == nil {
		writeJSON(w, v)
	}
	return err
}

// packing is what answers are written to whose reader takes gzip.
type packing struct{ http.ResponseWriter }

// Unwrap is for http.ResponseController.
func (p packing) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// leastPacked is from how many bytes on JSON is packed.
const leastPacked = 1 << 10

func writeBody(w http.ResponseWriter, kind string, body []byte) {
	if _, ok := w.(packing); ok && len(body) >= leastPacked && strings.HasPrefix(kind, "application/json") {
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // it is a level
		_, _ = z.Write(body)                                 // to memory
		_ = z.Close()
		body = packed.Bytes()
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Vary", "Accept-Encoding")
	}
	w.Header().Set("Content-Type", kind)
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-store")
	}
	_, _ = w.Write(body) // the client may have left
}
