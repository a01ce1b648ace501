package cli

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"
)

// SourceDateEpoch is the time that reproducible builds give to every file, zero
// when there is none.
func SourceDateEpoch() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return time.Time{}, nil
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("%w: SOURCE_DATE_EPOCH=%s is not a number of seconds", ErrUsage, text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// RefuseExisting keeps what stands at out, unless told otherwise.
func RefuseExisting(out string, overwrite bool) error {
	if _, err := os.Lstat(out); err == nil && !overwrite {
		return WithHint(Refusal(fmt.Errorf("%s is there already", out)), "pass --overwrite to replace it")
	}
	return nil
}

// AddMemory adds --max-memory, for SQL of users.
func AddMemory(cmd *cobra.Command, memory *ByteSize) {
	*memory = 1 << 30
	cmd.Flags().Var(memory, "max-memory", "SQL may take this much memory, as 500MB or 2GiB")
}
