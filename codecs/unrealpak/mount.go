package unrealpak

import "pakdb/codecs/internal/ue"

// MountOrder returns the order that the engine mounts a pak with, from its path
// in the game's folder (with forward slashes or backslashes). Of two paks that
// hold a file, the one of higher order gives it. Equal orders are no order: do
// not rely on a tie.
//
// The folder counts 4 for Project/Content/Paks/Project-*, 3 for other content
// of the project, 2 for the engine's, 1 for the saved folder, and 0 for
// others, so also for a bare file name. A name that ends in _P.pak counts 100
// more, or 100 x (N+1) when it ends in _N_P.pak with N >= 1. Engines up to 4.16
// add 100 whatever N is.
func MountOrder(name string) int { return ue.MountOrder(name, ".pak") }

// PatchName returns the name of the n-th patch of a pak: Game_2_P.pak for
// Game.pak, Game_P.pak and Game_0_P.pak with n = 2. [MountOrder] of it is
// 100 x (n+1).
func PatchName(name string, n int) string { return ue.PatchName(name, ".pak", n) }

// Chunk returns N for a pak named pakchunkN-*.pak or pakchunkN_*.pak.
func Chunk(name string) (n int, ok bool) { return ue.Chunk(name) }
