// Package ship has the commands that bring builds to players: delta for transport patches;
// publish, store and update for stores.
//
// Files in reading order: commands.go, publish.go, promote.go, prune.go, store_list.go,
// store_keys.go, delta.go, delta_verify.go, delta_apply.go, delta_sides.go, keys.go,
// expiry.go, published.go, update.go, rollout.go, parts.go.
package ship
