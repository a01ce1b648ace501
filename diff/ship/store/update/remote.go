package update

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/internal/trust"
	"pakdb/diff/ship/store"
)

// Remote reads a store, wherever it lies. It is safe
// for concurrent use.
type Remote struct {
	sources []store.Files // of the same store
	limit   *Limiter
	key     *delta.PublicKey
	clock   clock
	opt     RemoteOptions
	trust   truster
	follow  store.Follower

	recorder *recorder // nil: answers are not kept
	preload  *preload  // the last source; nil: there is none

	slow     sync.Map // numbers of sources that were reported
	requests atomic.Int64
	fetched  atomic.Int64
	answered atomic.Int64 // requests that went to what was preloaded
	given    atomic.Int64 // bytes of these
	wrong    atomic.Int64 // answers
	vain     atomic.Int64 // bytes of these

	unreachable atomic.Bool // a server gave nothing: what was preloaded is asked first
}

// clock returns the time, and waits.
type clock struct {
	now   func() time.Time
	sleep func(context.Context, time.Duration) error
}

// RemoteOptions for [OpenRemote].
type RemoteOptions struct {
	Rate   int64            // bytes a second at most, 0: no limit
	Client *http.Client     // nil: one with timeouts for connecting and for silence
	Key    *delta.PublicKey // manifests must be signed by its owner; nil: no matter by whom
	Root   []byte           // the store's root of signed metadata, if it came another way; nil: by Key, or as the folder remembers, or as the store says
	Others []string         // where the same store is as well, for what the first does not give right

	AllowExpired  bool // signed metadata may have expired
	AllowRollback bool // the store may be at an earlier state than the folder has seen
	Own           bool // a publisher's own store, whose signed metadata is written last

	Preloaded string // a folder: a build that was preloaded into it is one more copy, asked last
	Keep      bool   // answers are kept for [Folder.Fetch]

	Slow func(text string) // is called, by any goroutine, once for each server that is slow; nil: is not

	Platform string // whose builds are wanted; "": the one that the folder remembers, or else this system's

	Channel string // whose builds are wanted; "": the one that the folder follows, or else [store.Stable]
	Install string // id of the installation, which decides when it gets a build that is given out by and by; "": the folder's own
	Version string // of the program that asks, for builds that are for some; "": it does not say
}

// OpenRemote opens the store at a URL, http or https, in a bucket ([store.OpenFiles] says
// how that is called), or in a folder. An empty location is none: if there is no
// other, and nothing was preloaded, the error is [ErrNotPreloaded].
func OpenRemote(location string, opt RemoteOptions) (*Remote, error) {
	r := &Remote{limit: NewLimiter(opt.Rate), key: opt.Key, clock: clock{now: time.Now, sleep: Sleep}, opt: opt}
	r.trust.r = r
	r.follow.Channel, r.follow.Install, r.follow.Version, r.follow.Platform = opt.Channel, opt.Install, opt.Version, opt.Platform
	client := opt.Client
	if client == nil {
		client = store.NewClient(workers)
	}
	locations := append([]string{location}, opt.Others...)
	if location == "" {
		locations = opt.Others
	}
	for _, at := range locations {
		s, err := store.OpenFiles(at, client, os.Getenv)
		if err != nil {
			return nil, err
		}
		r.sources = append(r.sources, s)
	}
	if opt.Keep {
		r.recorder = &recorder{all: answers{}}
	}
	if opt.Preloaded != "" {
		var err error
		if r.preload, err = openPreload(opt.Preloaded); err != nil {
			return nil, err
		}
		if r.preload != nil {
			r.sources = append(r.sources, r.preload)
		}
	}
	if len(r.sources) == 0 {
		return nil, fmt.Errorf("%s: %w", opt.Preloaded, notPreloaded{})
	}
	return r, nil
}

// isPreload reports whether a source is what was preloaded.
func (r *Remote) isPreload(source int) bool {
	return r.preload != nil && source == len(r.sources)-1
}

// Requests returns how many requests were made.
func (r *Remote) Requests() int64 { return r.requests.Load() - r.answered.Load() }

// Fetched returns how many bytes came.
func (r *Remote) Fetched() int64 { return r.fetched.Load() - r.given.Load() }

// Pause holds what is fetched until Resume: bytes that have come are used, and no more
// are asked for. A connection that breaks meanwhile is made anew.
func (r *Remote) Pause() { r.limit.Pause() }

// Resume ends a pause.
func (r *Remote) Resume() { r.limit.Resume() }

// SetRate sets how many bytes a second may come from now on; 0: no limit.
func (r *Remote) SetRate(rate int64) { r.limit.SetRate(rate) }

// Channel returns the channel that the folder follows, and the newer builds of it that the
// folder does not get yet, and why. The channel is empty if the store says nothing of
// channels, and if a build was asked for by its label.
func (r *Remote) Channel() (name string, passed []store.Passed) { return r.follow.Following() }

// Wrong returns how many answers were not what was asked for, and how many bytes
// came in vain with them.
func (r *Remote) Wrong() (answers, bytes int64) { return r.wrong.Load(), r.vain.Load() }

// object fetches an object and checks that it is what its name says. most bounds
// what it decodes to.
func (r *Remote) object(ctx context.Context, id string, most int) (plain []byte, err error) {
	if err := store.CheckObject(id); err != nil {
		return nil, err
	}
	_, err = r.get(ctx, &want{name: store.ObjectName(id), n: -1, most: mostStored(most), check: func(b []byte) (err error) {
		plain, err = store.ParseObject(b, id, most)
		return err
	}})
	return plain, err
}

// mostStored is how many bytes an object may take that decodes to so many.
func mostStored(plain int) int64 { return int64(plain) + int64(plain)/256 + 1<<10 }

// manifest fetches a manifest and has parse read it, once its signature is known
// to fit. One that is not signed is right if it can be read.
func (r *Remote) manifest(ctx context.Context, name string, parse func([]byte) error) error {
	w := want{name: name, n: -1, most: store.MaxManifest}
	if r.key == nil {
		w.check = parse
		_, err := r.get(ctx, &w)
		return err
	}
	b, err := r.get(ctx, &w)
	if err != nil {
		return err
	}
	var sigs []string
	for try, pause := 1, firstPause; ; try++ {
		sig, err := r.get(ctx, &want{name: name + store.Signed, n: -1, most: store.MaxSignatureFile, fresh: try > 1, first: try - 1})
		if err != nil {
			return fmt.Errorf("%w: %w", store.ErrUnsigned, err)
		}
		sigs = append(sigs, string(sig))
		if err = verifyAny(r.key, b, sigs, name); err == nil {
			return parse(b)
		}
		// Either may be wrong, or replaced between the two requests.
		if w.fresh, w.first = true, try-1; try > r.wrongTries()+1 {
			return &wrongError{err: err, where: r.sources[0].At(name), what: name + " as its owner signed it", got: gotten(b, ""), answers: try}
		}
		r.isWrong(len(sig))
		if err := r.clock.sleep(ctx, pause); err != nil {
			return err
		}
		pause *= 2
		if try == 1 {
			continue // of a server that is wrong every other time the manifest is right
		}
		if b, err = r.get(ctx, &w); err != nil {
			return err
		}
		if verifyAny(r.key, b, sigs, name) == nil {
			return parse(b)
		}
	}
}

// verifyAny checks a manifest by several files of signatures, the last first.
func verifyAny(key *delta.PublicKey, b []byte, files []string, name string) (err error) {
	for _, sigs := range slices.Backward(files) {
		if e := store.Verify(key, b, sigs, name); e == nil {
			return nil
		} else if err == nil {
			err = e
		}
	}
	return err
}

// Index returns what the store has.
func (r *Remote) Index(ctx context.Context) (*store.Index, error) {
	var index *store.Index
	err := r.manifest(ctx, store.IndexName, func(b []byte) (err error) {
		index, err = store.ParseIndex(b)
		return err
	})
	return index, err
}

// listing is what a store has, by the word of those whom a folder trusts.
type listing struct {
	chain    *trust.Chain // nil: the store is not signed, or in the old way
	labels   []string     // in the order of publication
	channels store.Channels
}

// last is the build that was published last, "" if there is none.
func (l *listing) last() string {
	if len(l.labels) == 0 {
		return ""
	}
	return l.labels[len(l.labels)-1]
}

// list returns what the store has, as a folder trusts it: dir may be "".
func (r *Remote) list(ctx context.Context, dir string) (*listing, error) {
	c, err := r.trust.open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if c == nil {
		index, err := r.Index(ctx)
		if err != nil {
			return nil, err
		}
		switch {
		case !index.Trust || r.opt.Own:
			return &listing{nil, index.Builds, index.Channels}, nil
		case r.key != nil: // the owner of the key says so, and no root was to be had
			return nil, errUntrusted
		}
		if c, err = r.trust.pin(ctx, dir); err != nil {
			return nil, err
		}
	}
	return &listing{c, c.Targets.Labels(), c.Targets.Channels}, nil
}

// Labels returns the builds that a client can have, in the order of publication.
func (r *Remote) Labels(ctx context.Context) ([]string, error) {
	l, err := r.list(ctx, r.trust.dir)
	if err != nil {
		return nil, err
	}
	return l.labels, nil
}

// Build returns the manifest of a build, without its files; the last one published
// if label is empty.
func (r *Remote) Build(ctx context.Context, label string) (*store.Build, error) {
	l, err := r.list(ctx, "")
	if err != nil {
		return nil, err
	}
	return r.listed(ctx, l, cmp.Or(label, l.last()))
}

// listed returns the manifest of a build that is listed.
func (r *Remote) listed(ctx context.Context, l *listing, label string) (*store.Build, error) {
	if !slices.Contains(l.labels, label) {
		return nil, &noBuild{label, l.labels}
	}
	if l.chain != nil {
		return r.trust.build(ctx, l.chain, label)
	}
	var build *store.Build
	err := r.manifest(ctx, store.BuildName(label), func(b []byte) (err error) {
		if build, err = store.ParseBuild(b); err == nil {
			build.Sum = store.KeyOf(b)
		}
		return err
	})
	return build, err
}

// earlier fetches the versions of files that earlier builds had, and calls use for
// each. That they are what the manifest names is known when it returns nil: start
// is called whenever the first comes, which may be again.
func (r *Remote) earlier(ctx context.Context, b *store.Build, start func(), use func(*store.File)) error {
	if b.Past == "" {
		return nil
	}
	if err := store.CheckObject(b.Past); err != nil {
		return err
	}
	_, err := r.get(ctx, &want{name: store.ObjectName(b.Past), n: -1, most: store.MaxManifest, check: func(stored []byte) error {
		start()
		return store.EachEarlier(stored, b.Past, use)
	}})
	return err
}

// noBuild reports what there is instead.
type noBuild struct {
	label string
	have  []string
}

func (e *noBuild) Error() string {
	if len(e.have) == 0 {
		return "the store is empty"
	}
	return fmt.Sprintf("the store has no build %q; it has %s", e.label, strings.Join(e.have, ", "))
}

func (e *noBuild) Is(target error) bool { return target == store.ErrNoBuild }

// Trust sets Key or Root to what value names: a public key, as text or in a file, or the file of a
// root of signed metadata, which is JSON. "" is neither. It fails with [delta.ErrKey].
func (o *RemoteOptions) Trust(value string) (err error) {
	if value == "" {
		return nil
	}
	if b, err := os.ReadFile(value); err == nil && bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		o.Root = b
		return nil
	}
	if o.Key, err = delta.ReadPublicKey(value); err != nil {
		return fmt.Errorf("%w: %w", delta.ErrKey, err)
	}
	return nil
}

// Allow accepts metadata that is expired or a rollback, as the names say. It fails for others.
func (o *RemoteOptions) Allow(names []string) error {
	for _, name := range names {
		switch name {
		case "expired":
			o.AllowExpired = true
		case "rollback":
			o.AllowRollback = true
		default:
			return fmt.Errorf("%q: want expired or rollback", name)
		}
	}
	return nil
}
