package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// mostDepth bounds how deep values are nested; metadata needs seven levels.
const mostDepth = 16

// Canonical returns the canonical JSON of a text: keys in order, no spaces, whole
// numbers, and no escapes but \" and \\. Signatures are of these bytes. A key that is
// there twice is refused: readers may differ about which of them counts.
func Canonical(text []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	b, err := canonicalValue(d, 0)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("more than one value")
		} else if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMetadata, err)
	}
	return b, nil
}

func canonicalValue(d *json.Decoder, depth int) ([]byte, error) {
	if depth > mostDepth {
		return nil, errors.New("values are nested too deep")
	}
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := t.(type) {
	case json.Delim:
		if t == '{' {
			return canonicalObject(d, depth)
		}
		return canonicalArray(d, depth)
	case string:
		return appendString(nil, t), nil
	case json.Number:
		n, err := strconv.ParseInt(t.String(), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s is not a whole number", t)
		}
		return strconv.AppendInt(nil, n, 10), nil
	case bool:
		return strconv.AppendBool(nil, t), nil
	}
	return []byte("null"), nil
}

func canonicalObject(d *json.Decoder, depth int) ([]byte, error) {
	fields := map[string][]byte{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := t.(string) // the decoder refuses other keys
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("the key %q is there twice", key)
		}
		if fields[key], err = canonicalValue(d, depth+1); err != nil {
			return nil, err
		}
	}
	b := []byte{'{'}
	for i, key := range slices.Sorted(maps.Keys(fields)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(appendString(b, key), ':'), fields[key]...)
	}
	_, err := d.Token()
	return append(b, '}'), err
}

func canonicalArray(d *json.Decoder, depth int) ([]byte, error) {
	b := []byte{'['}
	for d.More() {
		v, err := canonicalValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	_, err := d.Token()
	return append(b, ']'), err
}

var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

func appendString(b []byte, s string) []byte {
	return append(append(append(b, '"'), escaper.Replace(s)...), '"')
}
