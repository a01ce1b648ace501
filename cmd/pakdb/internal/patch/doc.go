// Package patch has the commands about mountable patches and the archives that a game
// mounts: patch and mount-plan.
//
// Files in reading order: patch.go, merge.go, log.go, mount_plan.go, check.go, build.go,
// choice.go (--only, --exclude), options.go, print.go, header.go (of IoStore containers).
package patch
