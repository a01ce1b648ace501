package codecstest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// CheckJSON reads documents of JSON to their end. It returns an error when one is
// malformed, and when an object repeats a member, with the name of that.
func CheckJSON(r io.Reader) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	var open []map[string]bool // members of each open object so far; nil for an array
	name := false              // whether the next token of the object is a name
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) && len(open) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("offset %d: %w", d.InputOffset(), err)
		}
		inner := len(open) > 0 && open[len(open)-1] != nil
		switch t {
		case json.Delim('{'):
			open, name = append(open, map[string]bool{}), true
			continue
		case json.Delim('['):
			open = append(open, nil)
			continue
		case json.Delim('}'), json.Delim(']'):
			open = open[:len(open)-1]
			name = true // where that is in an object, a name follows
			continue
		}
		if !inner {
			continue
		}
		if name {
			members := open[len(open)-1]
			if text := t.(string); members[text] {
				return fmt.Errorf("offset %d: member %q is repeated", d.InputOffset(), text)
			} else {
				members[text] = true
			}
		}
		name = !name
	}
}
