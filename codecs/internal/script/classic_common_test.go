package script_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"pakdb/codecs/codecstest"
	"pakdb/codecs/internal/script"
)

// TestCommonAgreesWithDeclarations compares the table with the names that public sources
// of several games declare by native(N).
func TestCommonAgreesWithDeclarations(t *testing.T) {
	b, err := os.ReadFile(codecstest.Sample(t, "meaning", "natives.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	common, rows := script.CommonNatives(69), 0
	for line := range strings.Lines(string(b)) {
		cells := strings.Split(strings.TrimRight(line, "\n"), "\t")
		number, err := strconv.Atoi(cells[0])
		if err != nil {
			continue // the heading
		}
		rows++
		if got, _ := common.Name(number); got != cells[1] {
			t.Errorf("native %d is %q, %s declare %q", number, got, cells[2], cells[1])
		}
	}
	if rows < 150 {
		t.Errorf("%d rows", rows)
	}
}

// TestCommonVectorProduct: 296 is the product of two vectors, 297 the assignment.
func TestCommonVectorProduct(t *testing.T) {
	for number, want := range map[int]string{212: "*", 213: "*", 221: "*=", 296: "*", 297: "*="} {
		if got, _ := script.CommonNatives(69).Name(number); got != want {
			t.Errorf("native %d is %q, want %q", number, got, want)
		}
	}
}
