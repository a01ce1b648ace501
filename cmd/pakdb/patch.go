package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pakdb/diff/overlay"
)

func newPatchCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "patch",
		Short: "Make archives that a game mounts over a build to get another",
		Long: `Make archives that the game itself loads: mounted over the old build they give
the new one. Every archive is proved before it gets its name: base and patch are
mounted together, and compared with the new build, file by file.`,
		Example: `  pakdb patch build 1.48 1.52 -o Paks/
  pakdb patch check Game/Content/Paks patch/ --against new/Content/Paks`,
		Args: noSuchCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPatchBuildCommand(a), newPatchCheckCommand(a), newPatchMergeCommand(a), newPatchLogCommand(a))
	return cmd
}

// newDisk is how patches reach archives.
func newDisk(a *app) *overlay.Disk {
	return &overlay.Disk{Registry: a.registry(), Options: a.openOptions(), Header: containerHeader}
}

// byteSize is a flag for sizes as people write them: 500000, 64K, 2GiB.
type byteSize int64

var byteUnits = []struct {
	suffix string
	size   int64
}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"b", 1}}

// Set implements pflag.Value.
func (b *byteSize) Set(text string) error {
	low, unit := strings.ToLower(strings.TrimSpace(text)), int64(1)
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(low, u.suffix); ok {
			low, unit = strings.TrimSpace(rest), u.size
			break
		}
	}
	n, err := strconv.ParseFloat(low, 64)
	if err != nil || n < 1 || n*float64(unit) > 1<<62 {
		return fmt.Errorf("%q is no size; 500000, 64K and 2GiB are", text)
	}
	*b = byteSize(n * float64(unit))
	return nil
}

// parseSize returns the bytes of a size as people write them.
func parseSize(text string) (int64, error) {
	var b byteSize
	err := b.Set(text)
	return int64(b), err
}

// String implements pflag.Value.
func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	if *b%(1<<30) == 0 {
		return strconv.FormatInt(int64(*b)>>30, 10) + "GiB"
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Type implements pflag.Value.
func (b *byteSize) Type() string { return "SIZE" }
