package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
)

// Rollout says which clients get a build.
type Rollout struct {
	Channel  string // "": [store.Stable]
	Share    int    // of [store.AllChannels] of those who follow it; 0: all
	Min, Max string // versions of clients, both included; "": any
}

func (r *Rollout) release(label string) (name string, one store.Release) {
	return cmp.Or(r.Channel, store.Stable), store.Release{Build: label, Share: cmp.Or(r.Share, store.AllChannels), Min: r.Min, Max: r.Max}
}

// Promote gives a build of a store to more clients, to those of another channel, or to all
// again after a later one: nothing is uploaded but the list of builds. What a folder has
// seen is no matter: going back is a newer list, which is signed if the store is.
func Promote(ctx context.Context, dir, label string, to Rollout, key *delta.SecretKey, root []byte, expiry time.Duration) error {
	w, done, err := openSigned(ctx, dir, key, SignOptions{Root: root, Expiry: expiry})
	if err != nil {
		return err
	}
	defer done()
	if err := w.maySign(false); err != nil {
		return err
	}
	w.fresh, w.rollout = label, &to
	for try := 0; ; try++ {
		index, version, err := w.listed()
		if err != nil {
			return err
		}
		if !slices.Contains(index.Builds, label) {
			return fmt.Errorf("%s: %w: %q; it has %q", dir, store.ErrNoBuild, label, index.Builds)
		}
		if index.Channels, err = w.rollout.into(index.Channels, w.fresh, index.Builds); err != nil {
			return err
		}
		if err = w.writeList(index, version, false); err == nil {
			return w.publishSigned()
		}
		if !errors.Is(err, store.ErrRaced) || try == mostTries {
			return err
		}
	}
}

// into returns the channels with a release of a build, of these builds; a nil Rollout
// changes nothing. A store in which everybody gets the last build has no channels.
func (r *Rollout) into(l store.Channels, label string, builds []string) (store.Channels, error) {
	if r == nil {
		return l, nil
	}
	name, one := r.release(label)
	before, platform := "", store.Platform(label)
	same := store.Suiting(builds, platform)
	for _, other := range same {
		if other != label {
			before = other
		}
	}
	last := len(same) > 0 && same[len(same)-1] == label
	if len(l.For(platform)) == 0 && name == store.Stable && last && one == (store.Release{Build: label, Share: store.AllChannels}) {
		return l, nil
	}
	return l.Add(name, one, before)
}

// samePlatform returns the builds that clients of the platform of a build may have.
func samePlatform(builds []*store.Build, label string) []*store.Build {
	return slices.DeleteFunc(slices.Clone(builds), func(b *store.Build) bool { return !store.Suits(b.Label, store.Platform(label)) })
}

// kept divides builds into the last of each platform, with those that a channel gives out, and
// the rest.
func kept(index *store.Index, keep int) (stay, gone []string) {
	given, after := index.Channels.Builds(), map[string]int{}
	for _, label := range index.Builds {
		after[store.Platform(label)]++
	}
	for _, label := range index.Builds {
		platform := store.Platform(label)
		if after[platform]--; after[platform] < max(keep, 1) || given[label] {
			stay = append(stay, label)
		} else {
			gone = append(gone, label)
		}
	}
	return stay, gone
}

// checkRollout fails early for what is no rollout.
func (r *Rollout) check(label string) error {
	name, one := r.release(label)
	_, err := store.Channels(nil).Add(name, one, "")
	return err
}
