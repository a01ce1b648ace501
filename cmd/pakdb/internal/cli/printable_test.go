package cli

import (
	"bytes"
	"errors"
	"testing"

	"pakdb/codecs/all"
)

// Names of files and entries get into messages, and must not command the
// terminal from there. Lines stay lines.
func TestMessagesDoNotCommandTheTerminal(t *testing.T) {
	var out, complained bytes.Buffer
	New(nil, nil, &out, all.Registry).exit(WithHint(errors.New("evil\x1b]0;title\a.sip\nnext"), "try \x9b2J"))
	if want := "pakdb: evil\\x1b]0;title\\a.sip\nnext\nhint: try \\x9b2J\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	(NewComplaints(New(nil, nil, &complained, all.Registry))).Add(errors.New("\x1b[2J"))
	if want := "pakdb: \\x1b[2J\n"; complained.String() != want {
		t.Errorf("got %q, want %q", complained.String(), want)
	}
}
