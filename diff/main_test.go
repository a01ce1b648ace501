package diff_test

import (
	"os"
	"testing"

	"pakdb/internal/drawtest"
)

func TestMain(m *testing.M) { os.Exit(drawtest.Run(m, 25)) }
