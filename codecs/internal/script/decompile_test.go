package script

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// write makes code of one statement for each line, at the offset of its number: "text",
// "if COND else N", "jump N", "push N", "pop", "pop unless COND", "each LIST else N",
// "next", "done", "switch X", "case X else N", "default", "latent N", "return", "stop".
// Words that begin with $ are compiler-made variables.
func write(lines ...string) *Code {
	c := NewCode(1000)
	for i, line := range lines {
		c.Begin(uint32(i), 0)
		verb, rest, _ := strings.Cut(line, " ")
		operand, target := rest, ""
		if before, after, ok := strings.Cut(rest, "else "); ok {
			operand, target = strings.TrimSuffix(before, " "), after
		}
		to := uint32(0)
		if _, err := fmt.Sscan(target, &to); err != nil && (verb == "jump" || verb == "push") {
			_, _ = fmt.Sscan(rest, &to)
		}
		steer := func(control Control, words string) {
			from := c.Len()
			text(c, words)
			c.Steer(control, from)
		}
		flow := Next
		switch verb {
		case "jump":
			flow = Jump
		case "if":
			steer(Branch, operand)
			c.Label(to)
		case "push":
			steer(Push, "push")
		case "pop":
			if _, cond, ok := strings.Cut(rest, "unless "); ok {
				steer(PopUnless, cond)
			} else {
				flow = Stop
				steer(Pop, "pop")
			}
		case "each":
			steer(Each, operand)
		case "next":
			steer(EachNext, "next")
		case "done":
			steer(EachPop, "done")
		case "switch":
			steer(Choose, operand)
		case "case":
			steer(Case, operand)
		case "default":
			steer(Default, "")
		case "latent":
			_, _ = fmt.Sscan(rest, &to)
			c.Str("latent ")
			c.Label(to)
		case "delay":
			_, _ = fmt.Sscan(rest, &to)
			c.Str("Delay(self, LatentActionInfo{resume ")
			c.Label(to)
			c.Str(", 1, 'Graph', self})")
		case "return":
			flow = Return
			c.Str("return")
		case "stop":
			steer(Halt, "stop")
		default:
			text(c, line)
		}
		c.End(flow, to)
	}
	return c
}

func text(c *Code, words string) {
	for {
		before, after, ok := strings.Cut(words, "$")
		c.Str(before)
		if !ok {
			return
		}
		end := strings.IndexFunc(after, func(r rune) bool { return r < 'A' || r > 'z' || r == '[' || r == ']' })
		if end < 0 {
			end = len(after)
		}
		c.Variable("Temp_"+after[:end], 0)
		words = after[end:]
	}
}

func TestAppend(t *testing.T) {
	for _, c := range []struct {
		name    string
		code    *Code
		entries []Entry
		want    string
	}{
		{"if", write("if a else 2", "x", "y"), nil, "if (a) {\n  x\n}\ny\n"},
		{"if not", write("if a else 2", "jump 3", "x", "y"), nil, "if (!a) {\n  x\n}\ny\n"},
		{"else", write("if a else 3", "x", "jump 4", "y", "z"), nil, "if (a) {\n  x\n} else {\n  y\n}\nz\n"},
		{"else if", write("if a else 3", "x", "jump 6", "if b else 6", "y", "z", "w"), nil, "if (a) {\n  x\n} else if (b) {\n  y\n  z\n}\nw\n"},
		{"early return", write("if a else 3", "x", "y", "return"), nil, "if (a) {\n  x\n  y\n}\n"},
		{"guard", write("if a else 2", "return", "x", "y"), nil, "if (!a) {\n  x\n  y\n}\n"},
		{"guard with a value", write("if a else 2", "stop", "x", "y"), nil, "if (a) {\n  stop\n}\nx\ny\n"},
		{"delay", write("delay 3", "x", "return", "y", "z"), nil, "Delay(self) then {\n  y\n  z\n}\nx\n"},
		{"delay in a delay", write("delay 2", "return", "x", "delay 5", "return", "y"), nil, "Delay(self) then {\n  x\n  Delay(self) then {\n    y\n  }\n}\n"},
		{"delegates", write("A.Clicked += delegate(self, OnClicked)", "f(delegate(B, Fn), \"delegate(self, x)\")"), nil, "A.Clicked += OnClicked\nf(B.Fn, \"delegate(self, x)\")\n"},
		{"calls on objects", write("self.A.Actor:Destroy(B[1].Pawn:Get(2))", "/Game/A.A_C:Fn(\"x.A:B(\")"), nil, "self.A.Destroy(B[1].Get(2))\n/Game/A.A_C:Fn(\"x.A:B(\")\n"},
		{"while", write("if a else 3", "x", "jump 0", "y"), nil, "while (a) {\n  x\n}\ny\n"},
		{"for ever", write("x", "jump 0"), nil, "while (true) {\n  x\n}\n"},
		{"until", write("x", "if a else 0", "y"), nil, "do {\n  x\n} until (a)\ny\n"},
		{"break", write("if a else 5", "if b else 3", "jump 5", "x", "jump 0", "y"), nil, "while (a) {\n  if (b) {\n    break\n  }\n  x\n}\ny\n"},
		{"continue", write("if a else 6", "if b else 4", "x", "jump 0", "y", "jump 0", "z"), nil, "while (a) {\n  if (b) {\n    x\n  } else {\n    y\n  }\n}\nz\n"},
		{"loops", write("if a else 6", "if b else 4", "x", "jump 1", "y", "jump 0", "z"), nil, "while (a) {\n  while (b) {\n    x\n  }\n  y\n}\nz\n"},
		{"stack", write("push 4", "pop unless a", "x", "pop", "y", "pop"), nil, "if (a) {\n  x\n}\ny\n"},
		{"loop on the stack", write("pop unless a", "push 4", "x", "pop", "y", "jump 0"), nil, "while (a) {\n  x\n  y\n}\n"},
		{"one tail under two stacks", write("if a else 3", "push 4", "jump 5", "push 6", "x", "t", "pop"), nil, ""},
		{"for each", write("each L else 3", "x", "next", "done", "y"), nil, "for each L {\n  x\n}\ny\n"},
		{"break in for each", write("each L else 6", "if a else 4", "done", "jump 7", "x", "next", "done", "y"), nil, "for each L {\n  if (a) {\n    break\n  }\n  x\n}\ny\n"},
		{"switch", write("switch v", "case 1 else 4", "x", "jump 8", "case 2 else 6", "y", "default", "z", "w"), nil,
			"switch (v) {\ncase 1:\n  x\n  break\ncase 2:\n  y\ndefault:\n  z\n}\nw\n"},
		{"cases that share", write("switch v", "case 1 else 2", "case 2 else 5", "x", "jump 7", "default", "y", "w"), nil,
			"switch (v) {\ncase 1:\ncase 2:\n  x\n  break\ndefault:\n  y\n}\nw\n"},
		{"latent", write("latent 3", "pop", "x", "y", "pop"), nil, "latent L1\n L1:\ny\nunreached:\n  x\n"},
		{"events", write("a", "pop", "b", "jump 0"), []Entry{{Event: "B", At: 2}, {Event: "A", At: 0}}, "event A:\n L1:\n  a\nevent B:\n  b\n  goto L1\n"},
		{"shared", write("if a else 2", "jump 4", "b", "return", "s", "return", "c", "jump 4"), []Entry{{Event: "A", At: 0}, {Event: "B", At: 6}},
			"event A:\n  if (!a) {\n    b\n    return\n  }\n L1:\n  s\nevent B:\n  c\n  goto L1\n"},
		{"used once", write("$a = f()", "$b = g($a)", "x = h($b, 1)"), nil, "x = h(g(f()), 1)\n"},
		{"used twice", write("$a = f()", "x = $a", "y = $a"), nil, "Temp_a = f()\nx = Temp_a\ny = Temp_a\n"},
		{"calls keep their order", write("$a = f()", "$b = g()", "x = h($b, $a)"), nil, "Temp_a = f()\nx = h(g(), Temp_a)\n"},
		{"set again", write("$a = f()", "x = $a", "$a = g()", "y = $a"), nil, "x = f()\ny = g()\n"},
		{"never used", write("$a = f()", "$b = c", "x"), nil, "f()\nx\n"},
		{"used in the next round", write("$a = 1", "if c else 5", "x = $a", "$a = f()", "jump 1", "y"), nil, "Temp_a = 1\nwhile (c) {\n  x = Temp_a\n  Temp_a = f()\n}\ny\n"},
		{"condition", write("$a = f()", "if $a else 3", "x", "y"), nil, "if (f()) {\n  x\n}\ny\n"},
		{"array", write("$c = 0", "$i = 0", "$l = /Script/Engine.KismetArrayLibrary:Array_Length(A)", "$b = /Script/Engine.KismetMathLibrary:Less_IntInt($c, $l)", "if $b else 11",
			"$i = $c", "/Script/Engine.KismetArrayLibrary:Array_Get(A, $i, $e)", "use($e)", "$n = /Script/Engine.KismetMathLibrary:Add_IntInt($c, 1)", "$c = $n", "jump 2", "y"), nil,
			"for each A[Temp_c] {\n  use(A[Temp_c])\n}\ny\n"},
		{"operators", write(`x = /Script/Engine.KismetMathLibrary:Add_IntInt(1, /Script/Engine.KismetMathLibrary:Multiply_IntInt(a, f("),(", '(')))`), nil, "x = 1 + (a * f(\"),(\", '('))\n"},
		{"functions of a library", write("/Game/Lib/L.Default__L_C.Set Up(A, \"/Game/Lib/L.Default__L_C.B\")"), nil, "L_C:Set Up(A, \"/Game/Lib/L.Default__L_C.B\")\n"},
		{"functions of the program", write("/Script/Engine.GameplayStatics:SaveGameToSlot(self, \"/Script/A.B:C(\")"), nil, "GameplayStatics:SaveGameToSlot(self, \"/Script/A.B:C(\")\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			form := c.code.ByFlow(c.entries)
			got := string(AppendSource(nil, form))
			want := c.want
			if len(c.entries) == 0 && want != "" {
				want = indent(want)
			}
			if want != "" && got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			tr, err := decompile(form)
			if err != nil {
				t.Fatal(err)
			}
			if wrong := check(tr); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// TestLatentTwice: code at which two calls go on is in the block of the first.
func TestLatentTwice(t *testing.T) {
	got := string(AppendSource(nil, write("delay 4", "x", "delay 4", "return", "y").ByFlow(nil)))
	want := "  Delay(self) then {\n   L1:\n    y\n  }\n  x\n  Delay(self) then goto L1\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// indent puts two blanks in front of what is no label or section.
func indent(s string) string {
	lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "unreached:") {
			break
		}
		if !strings.HasPrefix(line, " L") {
			lines[i] = "  " + line
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

// TestAnyFlow: whatever the flow, the blocks lead where the code does, or the function
// keeps its normal form.
func TestAnyFlow(t *testing.T) {
	kept, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "statements")
		var lines []string
		for i := range n {
			to := rapid.IntRange(0, n-1).Draw(t, "to")
			line := fmt.Sprintf(rapid.SampledFrom([]string{"s%d", "s%d", "s%d", "$a = f%d()", "use%d($a)", "v = %d", "v += %d", "return"}).Draw(t, "plain"), i)
			switch rapid.IntRange(0, 11).Draw(t, "kind") {
			case 0, 1:
				line = fmt.Sprintf("if v < %d else %d", i, to)
			case 2:
				line = fmt.Sprintf("jump %d", to)
			case 3:
				line = fmt.Sprintf("push %d", to)
			case 4:
				line = "pop"
			case 5:
				line = fmt.Sprintf("pop unless c%d", i)
			case 6:
				line = fmt.Sprintf("latent %d", to)
			}
			lines = append(lines, strings.TrimSuffix(line, fmt.Sprintf("%%!(EXTRA int=%d)", i)))
		}
		var entries []Entry
		for i := range rapid.IntRange(0, 3).Draw(t, "entries") {
			entries = append(entries, Entry{Event: fmt.Sprint("E", i), At: uint32(rapid.IntRange(0, n-1).Draw(t, "entry"))})
		}
		form := write(lines...).ByFlow(entries)
		if len(entries) == 0 && rapid.Bool().Draw(t, "classic") {
			form = write(lines...).InOrder()
		}
		all++
		g, err := newGraph(form, form.Parts())
		if err == nil {
			var tr *tree
			if tr, err = newTree(g); err == nil {
				if wrong := check(tr); wrong != "" {
					t.Fatalf("%s: %s", strings.Join(lines, "; "), wrong)
				}
				tr.inline()
				tr.shape()
				if wrong := check(tr); wrong != "" {
					t.Fatalf("%s: shaped: %s", strings.Join(lines, "; "), wrong)
				}
			}
		}
		if err != nil {
			kept++
		}
		if len(AppendSource(nil, form)) > 1<<16 {
			t.Fatal("a long text")
		}
	})
	t.Logf("%d of %d keep their normal form", kept, all)
}

// TestHostile: what is deep, large or endless keeps its normal form, soon.
func TestHostile(t *testing.T) {
	repeat := func(n int, line func(i int) string) *Code {
		lines := make([]string, n)
		for i := range lines {
			lines[i] = line(i)
		}
		return write(lines...)
	}
	for name, code := range map[string]*Code{
		"deep":   repeat(3_000, func(int) string { return "if c else 2999" }),
		"chains": repeat(19_000, func(i int) string { return fmt.Sprintf("if c%d else %d", i, (i*7919)%19_000) }),
		"large":  repeat(100_000, func(int) string { return "x" }),
		"pushes": repeat(10_000, func(i int) string { return fmt.Sprintf("push %d", i) }),
		"pushes for ever": repeat(100, func(i int) string {
			return []string{"push 0", "x", fmt.Sprintf("if c else %d", i/2), "jump 0"}[i%4]
		}),
		"jumps":  repeat(5_000, func(i int) string { return fmt.Sprintf("jump %d", (i+1)%5_000) }),
		"values": repeat(15_000, func(i int) string { return fmt.Sprintf("$%s = f($%s)", letters(i+1), letters(i)) }),
	} {
		t.Run(name, func(t *testing.T) {
			form := code.ByFlow(nil)
			if got := AppendSource(nil, form); len(got) > 4<<20 {
				t.Errorf("%d bytes of text", len(got))
			}
		})
	}
}

func letters(i int) string {
	return fmt.Sprintf("%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26)
}
