package script_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pakdb/codecs/internal/script"
)

// write makes code of one statement for each line: "10 text" at offset 10, with
// "->20" for a label and ">20" at the end for a jump there.
func write(lines ...string) *script.Code {
	c := script.NewCode(1000)
	for _, line := range lines {
		var at, to uint32
		text := ""
		if _, err := fmt.Sscanf(line, "%d jump %d", &at, &to); err == nil {
			c.Begin(at, 0)
			c.End(script.Jump, to)
			continue
		}
		_, _ = fmt.Sscanf(line, "%d", &at)
		_, text, _ = strings.Cut(line, " ")
		c.Begin(at, 0)
		flow := script.Next
		switch text {
		case "return":
			flow = script.Return
		case "pop":
			flow = script.Stop
		}
		before, label, has := strings.Cut(text, "->")
		c.Str(before)
		if has {
			_, _ = fmt.Sscanf(label, "%d", &to)
			c.Label(to)
		}
		c.End(flow, 0)
	}
	return c
}

func TestScriptFlow(t *testing.T) {
	for _, c := range []struct {
		name    string
		code    *script.Code
		entries []script.Entry
		want    string
	}{
		{"a jump is followed", write("0 a", "1 jump 3", "2 never", "3 b", "4 return"), nil, "  a\n  b\n  return\nunreached:\n  never\n"},
		{"a loop", write("0 a", "1 jump 0"), nil, " La2c8:\n  a\n  goto La2c8\n"},
		{"twins", write("0 if ->3", "1 x", "2 pop", "3 x", "4 pop"), nil, "  if L23cb\n  x\n  pop\n L23cb:\n  x\n  pop\n"},
		{"the end", write("0 a", "1 return", "2 if ->1"), nil, "  a\n L7187:\n  return\nunreached:\n  if L7187\n"},
		{"events share", write("0 a", "1 b", "2 return"), []script.Entry{{Event: "Z", At: 1}, {Event: "A", At: 0}},
			"event A:\n  a\n L92f1:\n  b\n  return\nevent Z:\n  goto L92f1\n"},
		{"a jump to itself", write("0 a", "1 jump 1"), nil, "  a\n"},
		{"into a loop of nothing", write("0 if ->2", "1 pop", "2 jump 3", "3 jump 4", "4 jump 3"), nil, "  if end\n  pop\n"},
		{"a loop of nothing", write("0 jump 1", "1 jump 0"), nil, ""},
		{"nothing", write(), nil, ""},
	} {
		if err := c.code.Seal(99, false); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got := c.code.ByFlow(c.entries).String(); mask(got) != mask(c.want) {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// mask numbers labels by their first mention: what they are called is tested by the
// truths of the rooms below.
func mask(text string) string {
	seen := map[string]string{}
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' || r == ':' })
	for _, w := range words {
		if len(w) >= 5 && w[0] == 'L' && seen[w] == "" {
			seen[w] = fmt.Sprintf("#%d", len(seen))
		}
	}
	for from, to := range seen {
		text = strings.ReplaceAll(text, from, to)
	}
	return text
}

func TestVariables(t *testing.T) {
	c := script.NewCode(100)
	for i, number := range []int32{7, 3, 7, 0} {
		c.Begin(uint32(i), 0)
		c.Variable("Temp_a", number)
		c.Str(" ")
		c.Variable("Own", number)
		c.End(script.Next, 0)
	}
	want := "  Temp_a Own_6\n  Temp_a~2 Own_2\n  Temp_a Own_6\n  Temp_a~3 Own\n"
	if got := c.InOrder().String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTextIsBounded(t *testing.T) {
	c := script.NewCode(10)
	c.Begin(0, 0)
	for range 10_000 {
		c.Str(strings.Repeat("x", 100))
	}
	c.End(script.Next, 0)
	if err := c.Seal(1, false); !errors.Is(err, script.ErrText) || c.Len() > 100_000 {
		t.Errorf("%v, %d bytes", err, c.Len())
	}
}

// TestOrderOfTheFileMeansNothing: the same flow from code that lies elsewhere, with
// jumps to hold it together, has the same text.
func TestOrderOfTheFileMeansNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "statements")
		order := rapid.Permutation(numbers(n)).Draw(t, "order")
		place := make([]int, n+1)
		for i, s := range order {
			place[s] = 10 + 2*i
		}
		place[n] = 10 + 2*n
		moved := []string{fmt.Sprintf("0 jump %d", place[0])}
		for _, s := range order {
			moved = append(moved, fmt.Sprintf("%d s%d", place[s], s), fmt.Sprintf("%d jump %d", place[s]+1, place[s+1]))
		}
		moved = append(moved, fmt.Sprintf("%d return", place[n]))
		var plain []string
		for s := range n {
			plain = append(plain, fmt.Sprintf("%d s%d", s, s))
		}
		plain = append(plain, fmt.Sprintf("%d return", n))
		a, b := write(plain...).ByFlow(nil), write(moved...).ByFlow(nil)
		if a.Digest() != b.Digest() {
			t.Fatalf("%s\n%s", a, b)
		}
	})
}

func numbers(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// Many jumps into a long chain of statements that are not shown take no more time than
// there are statements, and too many statements are an error.
func TestLongChains(t *testing.T) {
	const n = 1 << 17
	c := script.NewCode(2 * n)
	for i := range uint32(n) {
		c.Begin(i, 0)
		c.Str("if ")
		c.Label(n)
		c.End(script.Next, 0)
	}
	for i := range uint32(n) {
		c.Begin(n+i, 0)
		c.End(script.Silent, 0)
	}
	c.Begin(2*n, 0)
	c.Str("x")
	c.End(script.Next, 0)
	if err := c.Seal(2*n+1, false); err != nil {
		t.Fatal(err)
	}
	text := c.ByFlow(nil).String()
	if want := strings.Repeat("  if L2d71\n", n) + " L2d71:\n  x\n"; text != want {
		t.Errorf("%d bytes, want %d: ... %q", len(text), len(want), text[max(0, len(text)-40):])
	}
	for i := range uint32(n) * 3 {
		c.Begin(2*n+1+i, 0)
		c.End(script.Silent, 0)
	}
	if err := c.Seal(1<<30, false); !errors.Is(err, script.ErrText) || len(c.Statements) > 1<<19 {
		t.Errorf("%d statements: %v", len(c.Statements), err)
	}
}

// TestNamesHaveNoCase: functions that spell names differently mean the same, those with
// other texts do not.
func TestNamesHaveNoCase(t *testing.T) {
	digest := func(lines ...string) [32]byte { return write(lines...).ByFlow(nil).Digest() }
	one := digest("0 Self.Min = \"A \\\" B\"", "1 if Ready ->3", "2 return", "3 Call(Min)", "4 return")
	if other := digest("0 self.min = \"A \\\" B\"", "1 IF ready ->3", "2 return", "3 call(MIN)", "4 return"); other != one {
		t.Error("names in another case give another digest")
	}
	if other := digest("0 Self.Min = \"A \\\" b\"", "1 if Ready ->3", "2 return", "3 Call(Min)", "4 return"); other == one {
		t.Error("a text in another case gives the same digest")
	}
}
