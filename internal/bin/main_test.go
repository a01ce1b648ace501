package bin_test

import (
	"os"
	"testing"

	"pakdb/internal/testkit"
)

func TestMain(m *testing.M) { os.Exit(testkit.Main(m)) }
