package compare

import (
	"fmt"
	"slices"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/overlay"
)

type patchOptions struct {
	out           string
	only, exclude []string
	dependencies  bool
	perChunk      bool
	overlay       bool
	maxSize       cli.ByteSize
	number        int
	overwrite     bool
	dryRun        bool
	allowDamaged  bool
	explain       string
	format        string
}

// refuseIgnored refuses options that say how patches which are mounted over a build
// are cut and called, when the plan has none.
func (opts *patchOptions) refuseIgnored(p *overlay.Plan) error {
	over := func(part overlay.Part) bool { return part.Use == overlay.Over }
	if len(p.Parts) == 0 || slices.ContainsFunc(p.Parts, over) {
		return nil
	}
	option := "--per-chunk"
	switch {
	case opts.number >= 0:
		option = "--number"
	case !opts.perChunk:
		return nil
	}
	return fmt.Errorf("%w: %s is for patches that a game mounts over its archives; %s is none", cli.ErrUsage, option, p.Parts[0].Name)
}
