package store

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// decodeJSON reads a manifest: first of all in what it is written, then its other
// fields, one by one, by what read does with the value behind each key.
func decodeJSON(b []byte, s *State, read func(j *jsonStream, key string) error) error {
	if err := json.Unmarshal(b, s); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	if err := s.check(); err != nil {
		return err
	}
	j := newJSONStream(bytes.NewReader(b))
	err := j.object(func(key string) error { return read(j, key) })
	if err == nil {
		err = j.end()
	}
	if err != nil {
		return fmt.Errorf("%w: at byte %d: %w", ErrCorrupt, j.dec.InputOffset(), err)
	}
	return nil
}

// ParseIndex reads the list of builds, and refuses what no publication wrote.
func ParseIndex(b []byte) (*Index, error) {
	x := &Index{}
	err := decodeJSON(b, &x.State, func(j *jsonStream, key string) error {
		switch key {
		case "builds":
		case "trust":
			return j.value(&x.Trust)
		case "channels":
			if err := j.value(&x.Channels); err != nil {
				return err
			}
			return x.Channels.Check(ValidBuild)
		default:
			return j.skip()
		}
		return j.array(func() (err error) {
			x.Builds, err = appendValue(j, x.Builds, maxBuilds, func(label *string) error {
				if !ValidBuild(*label) {
					return fmt.Errorf("build %q", *label)
				}
				return nil
			})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// appendValue reads an element of a list of up to most, and checks it.
func appendValue[T any](j *jsonStream, list []T, most int, check func(*T) error) ([]T, error) {
	var v T
	if err := j.value(&v); err != nil {
		return nil, err
	}
	if len(list) == most {
		return nil, fmt.Errorf("more than %d values in a list", most)
	}
	if err := check(&v); err != nil {
		return nil, err
	}
	return append(list, v), nil
}

// ParseBuild reads a build's manifest, and refuses what no publication wrote.
func ParseBuild(b []byte) (*Build, error) {
	x := &Build{}
	if err := decodeJSON(b, &x.State, x.readField); err != nil {
		return nil, err
	}
	if !ValidBuild(x.Label) {
		return nil, fmt.Errorf("%w: build %q", ErrCorrupt, x.Label)
	}
	return x, nil
}

// readField reads one field of a build's manifest.
func (x *Build) readField(j *jsonStream, key string) error {
	switch key {
	case "label":
		return j.value(&x.Label)
	case "time":
		return j.value(&x.Time)
	case "files":
		return j.value(&x.Lists)
	case "earlier":
		return j.value(&x.Past)
	case "modes":
		return j.value(&x.Modes)
	case "parts":
		err := j.array(func() (err error) {
			x.Parts, err = appendValue(j, x.Parts, MostParts, func(*Optional) error { return nil })
			return err
		})
		if err == nil {
			err = x.Parts.Check()
		}
		return err
	case "damaged":
		return j.array(func() (err error) {
			x.Damaged, err = appendValue(j, x.Damaged, maxNamed, func(*string) error { return nil })
			return err
		})
	case "tables":
		return j.array(func() (err error) {
			x.Tables, err = appendValue(j, x.Tables, maxRefs, func(t *TableRef) error { return CheckObject(t.Object) })
			return err
		})
	case "contents":
		return j.array(func() (err error) {
			x.Contents, err = appendValue(j, x.Contents, maxRefs, func(r *DeltaRef) error { return CheckObject(r.Object) })
			return err
		})
	case "deltas":
		named := 0
		return j.array(func() (err error) {
			x.Deltas, err = appendValue(j, x.Deltas, maxDeltas, func(d *Delta) error {
				if named += len(d.Old) + len(d.New); named > maxNamed {
					return fmt.Errorf("patches of more than %d files", maxNamed)
				}
				return d.check()
			})
			return err
		})
	}
	return j.skip()
}

// CheckObject refuses what is no name of an object.
func CheckObject(id string) error {
	if raw, err := hex.DecodeString(id); err != nil || len(raw) != 32 {
		return fmt.Errorf("%w: object %.80q", ErrCorrupt, id)
	}
	return nil
}
