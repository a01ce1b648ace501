package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// jsonStream reads JSON value by value: a list of millions never is in memory
// as a whole, and what is read of it is checked before more is.
type jsonStream struct {
	dec *json.Decoder
	in  *meter
}

const (
	// mostValue bounds the bytes of one value of a manifest, with what is read ahead:
	// a patch between files has two paths, of 2 KiB at most, and hashes for each of
	// its files, and few have more than some hundred.
	mostValue = 1 << 20
	mostDepth = 32 // of values that nobody asks for
)

var errLongValue = errors.New("a value that is too long")

// meter fails when a value is longer than it may be.
type meter struct {
	r    io.Reader
	left int
}

func (m *meter) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, errLongValue
	}
	n, err := m.r.Read(p[:min(len(p), m.left)])
	m.left -= n
	return n, err
}

func newJSONStream(r io.Reader) *jsonStream {
	in := &meter{r, mostValue}
	return &jsonStream{json.NewDecoder(in), in}
}

// token reads one token.
func (s *jsonStream) token() (json.Token, error) {
	s.in.left = mostValue
	return s.dec.Token()
}

// value reads the next value.
func (s *jsonStream) value(v any) error {
	s.in.left = mostValue
	return s.dec.Decode(v)
}

// begin reads the delimiter that begins an array or an object. Instead of either
// there may be null, which is empty.
func (s *jsonStream) begin(want json.Delim) (empty bool, err error) {
	t, err := s.token()
	if err == nil && t != nil && t != want {
		err = fmt.Errorf("%v where %v is to be", t, want)
	}
	return t == nil, err
}

// array calls each for every element, which that reads.
func (s *jsonStream) array(each func() error) error {
	if empty, err := s.begin('['); empty || err != nil {
		return err
	}
	for s.more() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := s.token()
	return err
}

// object calls each for every key, whose value that reads.
func (s *jsonStream) object(each func(key string) error) error {
	if empty, err := s.begin('{'); empty || err != nil {
		return err
	}
	for s.more() {
		key, err := s.token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		if err := each(name); err != nil {
			return err
		}
	}
	_, err := s.token()
	return err
}

func (s *jsonStream) more() bool {
	s.in.left = mostValue
	return s.dec.More()
}

// skip passes over a value.
func (s *jsonStream) skip() error {
	for depth := 0; ; {
		t, err := s.token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('['), json.Delim('{'):
			depth++
		case json.Delim(']'), json.Delim('}'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > mostDepth {
			return errors.New("values in values in values")
		}
	}
}

// end makes sure that nothing follows.
func (s *jsonStream) end() error {
	if _, err := s.token(); err != io.EOF {
		return errors.Join(errors.New("something follows"), err)
	}
	return nil
}
