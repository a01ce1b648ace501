package program_test

import (
	"os"
	"testing"

	"pakdb/diff/internal/pkdeltatest"
)

func TestMain(m *testing.M) { os.Exit(pkdeltatest.Run(m)) }
