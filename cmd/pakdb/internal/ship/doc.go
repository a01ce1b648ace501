// Package ship has the commands that bring builds to players: delta for
// transport patches, publish, store and update for stores, keygen.
//
// Files in reading order: commands.go, publish.go, prune.go, stats.go, delta.go,
// delta_info.go, delta_apply.go, delta_sides.go, delta_sign.go,
// expiry.go, trust.go, published.go, update.go, rollout.go, parts.go, delta_recover.go.
package ship
