package update

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"pakdb/diff/ship/delta"
	"pakdb/diff/ship/store"
	"pakdb/internal/regular"
	"pakdb/internal/stored"
)

const (
	attempts   = 8                      // in a row by which nothing comes
	firstPause = 100 * time.Millisecond // doubled after each of them
	maxPause   = time.Minute            // whatever the server asks for
	silence    = 30 * time.Second       // in which a connection brings at least slowest, or counts as broken
	slowest    = 1 << 10                // bytes: a server could let an update hang for days by less
	slowAfter  = 10 * time.Second       // in which a connection that is not slow brings at least slowLeast
	slowLeast  = 10 << 10               // bytes
	workers    = 4
)

const (
	// wrongAnswers is how often each server is asked for what it answered wrongly: the
	// pauses between are 1.5 s in all, in which a bad edge of a network is mended or
	// another one asked. A folder is asked once: it says the same again.
	wrongAnswers = 5
	// vainAnyhow bounds the bytes that may come in vain, with as many as came right:
	// a server that answers wrongly every other time costs twice as much, one that
	// always does some requests.
	vainAnyhow = 64 << 20
)

// want is a part of a file of a store.
type want struct {
	name  string
	off   int64
	n     int64              // bytes; -1: the whole file
	most  int64              // bytes of a whole file
	check func([]byte) error // that they are right; nil: nobody knows
	fresh bool               // what caches have is not wanted
	first int                // source to ask first, modulo their number

	isContent bool // it waits in the folder of work until an update is done

	optional bool // it need not be there: the error is errAbsent if no source has it
}

// errAbsent is the error for what is optional and not there.
var errAbsent = errors.New("not there")

func (w *want) String() string {
	if w.n < 0 {
		return w.name
	}
	return fmt.Sprintf("%s, %d bytes from %d on", w.name, w.n, w.off)
}

// asking is a want on its way.
type asking struct {
	*want
	r      *Remote
	b      []byte // what has come
	kind   string // its media type
	from   int    // source
	wrongs []int  // answers of each source
	absent int    // answers that there is none
	failed int    // attempts in a row by which nothing came
	pause  time.Duration
}

// get fetches a part of a file. What breaks off is asked for again from there on;
// what is wrong is asked for anew, by turns from all sources, as often as
// [wrongAnswers] says.
func (r *Remote) get(ctx context.Context, w *want) ([]byte, error) {
	a := &asking{want: w, r: r, wrongs: make([]int, len(r.sources)), pause: firstPause, from: w.first % len(r.sources)}
	if r.preload != nil && r.unreachable.Load() {
		a.from = len(r.sources) - 1
	}
	for {
		had := len(a.b)
		err := a.more(ctx)
		if err == nil && w.check != nil {
			if err = w.check(a.b); err != nil {
				err = &wrongError{err: err}
			}
		}
		if err == nil {
			r.recorder.add(w, a.b)
			return a.b, nil
		}
		if err = a.again(ctx, err, had); err != nil {
			return nil, err
		}
	}
}

// again decides whether to ask again, and waits until then. It returns the error
// if not.
func (a *asking) again(ctx context.Context, err error, had int) error {
	var wrong *wrongError
	var busy *store.Busy
	switch {
	case ctx.Err() != nil:
		if !errors.Is(err, ctx.Err()) { // a folder does not ask whether it is to end
			err = ctx.Err()
		}
		return fmt.Errorf("%s: %w", a.name, err)
	case errors.As(err, &wrong) && wrong.absent && a.optional:
		a.from = (a.from + 1) % len(a.r.sources)
		if a.absent++; a.absent >= len(a.r.sources) {
			return errAbsent
		}
		return nil
	case errors.As(err, &wrong):
		a.describe(wrong)
		a.wrongs[a.from]++
		if !a.r.isPreload(a.from) {
			a.r.isWrong(len(a.b))
		}
		if !a.elsewhere() || a.r.inVain() {
			return wrong
		}
		a.b, a.fresh = nil, true
	default:
		switch {
		case a.n < 0:
			a.b = nil
		case errors.Is(err, errSlow) && len(a.b)-had < slowest: // another server is not to go on from what is so little
			a.b = a.b[:had]
		}
		a.r.unreachable.Store(true)
		if a.failed++; len(a.b)-had >= slowest {
			a.failed, a.pause = 1, firstPause
		}
		if a.failed == attempts {
			return fmt.Errorf("%s: %w", a.at(), err)
		}
		a.elsewhere()
	}
	wait := a.pause
	if errors.As(err, &busy) {
		wait = min(max(wait, busy.Wait(a.r.clock.now())), maxPause)
	}
	a.pause *= 2
	return a.r.clock.sleep(ctx, wait)
}

// at reports where the file is that was asked for.
func (a *asking) at() string { return a.r.sources[a.from].At(a.name) }

// elsewhere goes on to the next source that may be asked, which may be the same.
func (a *asking) elsewhere() bool {
	for range a.r.sources {
		a.from = (a.from + 1) % len(a.r.sources)
		if a.wrongs[a.from] < tries(a.r.sources[a.from]) {
			return true
		}
	}
	return false
}

// tries is how many wrong answers a source may give to one want.
func tries(s store.Files) int {
	if s.Steady() {
		return 1
	}
	return wrongAnswers
}

// wrongTries is how many all sources may.
func (r *Remote) wrongTries() (n int) {
	for i := range r.sources {
		n += tries(r.sources[i])
	}
	return n
}

// isWrong counts an answer that was wrong.
func (r *Remote) isWrong(n int) {
	r.wrong.Add(1)
	r.vain.Add(int64(n))
}

// inVain reports that too much came in vain.
func (r *Remote) inVain() bool {
	vain := r.vain.Load()
	return vain > vainAnyhow+max(0, r.fetched.Load()-vain)
}

// wrongError is the error for answers that are not what was asked for.
type wrongError struct {
	err     error  // what is wrong
	where   string // URL
	what    string // was wanted
	got     string
	answers int
	absent  bool // there is no such file
}

func (e *wrongError) Error() string {
	if e.where == "" {
		return e.err.Error()
	}
	times := ""
	if e.answers > 1 {
		times = fmt.Sprintf("; asked %d times", e.answers)
	}
	return fmt.Sprintf("%s: %v; wanted %s, got %s%s", e.where, e.err, e.what, e.got, times)
}

func (e *wrongError) Unwrap() error { return e.err }

// Hint says what to do.
func (e *wrongError) Hint() string {
	var own interface{ Hint() string }
	if errors.As(e.err, &own) {
		return own.Hint()
	}
	if errors.Is(e.err, fs.ErrNotExist) {
		return "a store is a folder that pakdb publish wrote: is it this one, and complete?"
	}
	if errors.Is(e.err, regular.ErrNotRegular) {
		return "a store holds files and folders alone: put the file back from another copy, or name one with one more --from"
	}
	if e.absent && e.what == "builds/index.json" {
		return "a store is what pakdb publish wrote: is that its location, with all of the path? If it is, try again later, or name another copy of it with one more --from"
	}
	if errors.Is(e.err, delta.ErrSignature) {
		return "check the key; if it is the publisher's, the server, or a proxy, answers with other bytes than were published: name another copy of the store with one more --from"
	}
	return "the server, or a proxy, answers with other bytes than were published: try again later, name another copy of the store with one more --from," +
		" or have its publisher run pakdb store check"
}

// describe says what was wanted and what came.
func (a *asking) describe(e *wrongError) {
	e.where, e.what, e.answers, e.got = a.at(), a.String(), 1, gotten(a.b, a.kind)
	for _, n := range a.wrongs {
		e.answers += n
	}
}

// gotten describes an answer. It quotes the beginning of a page that a server or proxy
// sends in place of a file, but not of JSON, which says nothing to people.
func gotten(b []byte, kind string) string {
	if len(b) == 0 {
		return "nothing"
	}
	if b[0] == '{' || b[0] == '[' {
		return fmt.Sprintf("%d bytes of JSON", len(b))
	}
	if kind != "" {
		kind = " of " + kind
	}
	return fmt.Sprintf("%d bytes%s that begin with %q", len(b), kind, b[:min(len(b), 24)])
}

// more fetches what is missing.
func (a *asking) more(ctx context.Context) error {
	if err := a.r.limit.Paused(ctx); err != nil {
		return err
	}
	if a.r.isPreload(a.from) {
		a.r.answered.Add(1)
	}
	a.r.requests.Add(1)
	outer := ctx
	ctx, cancel := context.WithCancel(outer)
	defer cancel()
	ask := store.Ask{Name: a.name, N: -1, Fresh: a.fresh}
	if a.n >= 0 {
		ask.Off, ask.N = a.off+int64(len(a.b)), a.n-int64(len(a.b))
	}
	source := a.from
	slow := newPatience(slowAfter, slowLeast, func() { a.r.isSlow(source) })
	defer slow.timer.Stop()
	asked := time.Now()
	answer, err := a.r.sources[source].Open(ctx, ask)
	if err != nil {
		return asWrong(err)
	}
	slow.came(time.Since(asked), 0)
	defer func() { _ = answer.Close() }()
	if a.kind = answer.Kind; a.n < 0 && answer.Size > a.most {
		return &wrongError{err: tooLong(a.most)}
	}
	err = a.body(ctx, answer, answer.Skip, slow, newPatience(silence, slowest, cancel))
	if ctx.Err() != nil && outer.Err() == nil { // nobody stopped the update
		return errSlow
	}
	return err
}

// errSlow is the error for a server that does not go on.
var errSlow = fmt.Errorf("the server sent less than %d bytes in %v", slowest, silence)

// asWrong returns a wrongError for an answer that gave nothing.
func asWrong(err error) error {
	var none *store.NotGiven
	if errors.As(err, &none) {
		return &wrongError{err: none, absent: none.Absent}
	}
	return err
}

func tooLong(most int64) error { return fmt.Errorf("%w: larger than %d bytes", store.ErrCorrupt, most) }

// isSlow reports a source that sends little, once.
func (r *Remote) isSlow(source int) {
	if _, told := r.slow.LoadOrStore(source, true); !told && r.opt.Slow != nil {
		r.opt.Slow(fmt.Sprintf("%s: the server is slow: less than %d bytes came in %v", r.sources[source].At(""), slowLeast, slowAfter))
	}
}

// patience acts when fewer bytes than least come in a time that is waited for them.
type patience struct {
	span   time.Duration
	least  int
	left   time.Duration // of span
	lately int           // bytes that came in the rest of it
	timer  *time.Timer
}

func newPatience(span time.Duration, least int, act func()) *patience {
	return &patience{span: span, least: least, left: span, timer: time.AfterFunc(span, act)}
}

// came stops the timer, since a pause or a limit is no silence, and counts n bytes for which
// somebody waited.
func (p *patience) came(waited time.Duration, n int) {
	p.timer.Stop()
	p.left -= waited
	if p.lately += n; p.lately >= p.least {
		p.left, p.lately = p.span, 0
	}
}

// wait lets the time go on.
func (p *patience) wait() { p.timer.Reset(max(p.left, 0)) }

// body reads the bytes after those to be skipped: up to the end, of a whole file.
// It stops watch, whose times are those in which it waits for bytes.
func (a *asking) body(ctx context.Context, body io.Reader, skip int64, watch ...*patience) error {
	want := a.most + 1
	if a.n >= 0 {
		want = a.n - int64(len(a.b))
		a.room(want)
	}
	defer func() {
		for _, p := range watch {
			p.timer.Stop()
		}
	}()
	buf := make([]byte, 64<<10)
	for want > 0 {
		for _, p := range watch {
			p.wait()
		}
		asked := time.Now()
		k, err := body.Read(buf[:min(skip+want, int64(len(buf)))])
		for _, p := range watch {
			p.came(time.Since(asked), k)
		}
		passed := int(min(skip, int64(k)))
		a.b = append(a.b, buf[passed:k]...)
		skip -= int64(passed)
		want -= int64(k - passed)
		if a.r.isPreload(a.from) {
			a.r.given.Add(int64(k))
		}
		a.r.came(ctx, k, k-passed)
		if err := a.r.limit.Wait(ctx, k); err != nil {
			return err
		}
		if err == io.EOF && a.n < 0 {
			return nil
		}
		if err != nil && want > 0 {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return err
		}
	}
	if a.n < 0 {
		return &wrongError{err: tooLong(a.most)}
	}
	return nil
}

// room makes room for n bytes that nobody may have sent yet: for as many as one
// request has at most, the rest as it comes.
func (a *asking) room(n int64) {
	if a.b == nil {
		a.b = make([]byte, 0, min(n, maxRange))
	}
}

// came counts bytes.
func (r *Remote) came(ctx context.Context, all, wanted int) {
	r.fetched.Add(int64(all))
	stored.ProgressOf(ctx).Add(int64(wanted))
}

// Limiter spreads bytes over time. It is safe for concurrent use.
type Limiter struct {
	mu   sync.Mutex
	rate int64
	free time.Time // when all bytes so far have had their time

	gate chan struct{} // closed when a pause ends; nil: there is none
}

// Pause stops what waits from now on, until Resume.
func (l *Limiter) Pause() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate == nil {
		l.gate = make(chan struct{})
	}
}

// Resume ends a pause.
func (l *Limiter) Resume() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.gate != nil {
		close(l.gate)
		l.gate = nil
	}
}

// SetRate sets how many bytes a second may come from now on; 0: any.
func (l *Limiter) SetRate(rate int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rate, l.free = rate, time.Time{}
}

// Paused waits for the end of a pause.
func (l *Limiter) Paused(ctx context.Context) error {
	l.mu.Lock()
	gate := l.gate
	l.mu.Unlock()
	if gate == nil {
		return nil
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-gate:
		return nil
	}
}

// NewLimiter returns a limiter of so many bytes a second; 0: any.
func NewLimiter(rate int64) *Limiter { return &Limiter{rate: rate} }

// Wait waits until n bytes more may come.
func (l *Limiter) Wait(ctx context.Context, n int) error {
	if err := l.Paused(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	if l.rate <= 0 {
		l.mu.Unlock()
		return nil
	}
	now := time.Now()
	if l.free.Before(now) {
		l.free = now
	}
	l.free = l.free.Add(time.Duration(float64(n) / float64(l.rate) * float64(time.Second)))
	pause := l.free.Sub(now)
	l.mu.Unlock()
	return Sleep(ctx, pause)
}

// Sleep waits until the time has passed or the context is done.
func Sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}
