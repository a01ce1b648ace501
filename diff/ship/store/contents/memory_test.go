package contents

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"pakdb/diff/ship/store"
)

// memory is a bucket in memory. Each request waits for its turn, if there are turns.
type memory struct {
	mu    sync.Mutex
	files map[string]stored
	n     int

	turns chan *turn // nil: nobody waits
}

// turn is a request that waits.
type turn struct {
	what string
	give chan struct{}
}

type stored struct {
	b       []byte
	version string
	written time.Time
}

func newMemory() *memory { return &memory{files: map[string]stored{}} }

// turn waits, and then locks the bucket. What is called off meanwhile is not done.
func (m *memory) turn(ctx context.Context, what string) (unlock func(), err error) {
	if m.turns != nil {
		waits := &turn{what, make(chan struct{})}
		select {
		case m.turns <- waits:
			<-waits.give
		case <-ctx.Done():
		}
	}
	m.mu.Lock()
	if err := context.Cause(ctx); err != nil {
		m.mu.Unlock()
		return nil, err
	}
	return m.mu.Unlock, nil
}

func (m *memory) At(name string) string { return "s3://memory/" + name }
func (m *memory) Steady() bool          { return true }

func (m *memory) Open(ctx context.Context, p store.Ask) (*store.Answer, error) {
	unlock, err := m.turn(ctx, "open "+p.Name)
	if err != nil {
		return nil, err
	}
	defer unlock()
	f, ok := m.files[p.Name]
	if !ok {
		return nil, &store.NotGiven{Err: fs.ErrNotExist, Absent: true}
	}
	b := f.b[p.Off:]
	if p.N >= 0 {
		b = b[:p.N]
	}
	return &store.Answer{ReadCloser: io.NopCloser(bytes.NewReader(b)), Size: int64(len(b)), Version: f.version}, nil
}

func (m *memory) Put(ctx context.Context, name string, r io.ReadSeeker, _ int64, version string) (string, error) {
	b, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	unlock, err := m.turn(ctx, "put "+name)
	if err != nil {
		return "", err
	}
	defer unlock()
	f, ok := m.files[name]
	if version == store.Absent && ok || version != "" && version != store.Absent && version != f.version {
		return "", store.ErrRaced
	}
	m.n++
	m.files[name] = stored{b, fmt.Sprint(m.n), time.Now()}
	return m.files[name].version, nil
}

func (m *memory) Stat(ctx context.Context, name string) (store.Info, error) {
	unlock, err := m.turn(ctx, "stat "+name)
	if err != nil {
		return store.Info{}, err
	}
	defer unlock()
	f, ok := m.files[name]
	if !ok {
		return store.Info{}, fs.ErrNotExist
	}
	return store.Info{Name: name, Size: int64(len(f.b)), Written: f.written}, nil
}

func (m *memory) List(ctx context.Context, folder string, use func(store.Info) error) error {
	unlock, err := m.turn(ctx, "list "+folder)
	if err != nil {
		return err
	}
	defer unlock()
	for name, f := range m.files {
		if strings.HasPrefix(name, folder+"/") {
			if err := use(store.Info{Name: name, Size: int64(len(f.b)), Written: f.written}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *memory) Remove(ctx context.Context, name string) error {
	unlock, err := m.turn(ctx, "remove "+name)
	if err != nil {
		return err
	}
	defer unlock()
	delete(m.files, name)
	return nil
}
