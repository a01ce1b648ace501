package archive

import (
	"github.com/spf13/cobra"

	"pakdb/cmd/pakdb/internal/cli"
)

// Commands returns ls, info, cat, extract, unpack, verify, pkg, show, pack and mod.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{
		newLsCommand(a), newInfoCommand(a), newCatCommand(a), newExtractCommand(a), newUnpackCommand(a),
		newVerifyCommand(a), newPkgCommand(a), newShowCommand(a), newPackCommand(a), newModCommand(a),
	}
}
