package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"pakdb/codecs"
	"pakdb/internal/objects"
	"pakdb/query"
	"pakdb/query/show"
	"pakdb/schema"
	"pakdb/web/internal/explore"
)

// problem is an answer that says what failed.
type problem struct {
	Status  int    `json:"-"`
	Message string `json:"error"`
	Hint    string `json:"hint,omitempty"`    // what to do about it
	Command string `json:"command,omitempty"` // that shows more
	Advice  string `json:"advice,omitempty"`  // why a statement is slow
}

func (p *problem) Error() string { return p.Message }

func refuse(status int, hint, format string, args ...any) *problem {
	return &problem{Status: status, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// problemOf returns the answer to a request that failed.
func problemOf(err error) *problem {
	var p *problem
	if errors.As(err, &p) {
		return p
	}
	p = &problem{Status: http.StatusInternalServerError, Message: err.Error(), Hint: query.Hint(err)}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		p.Status, p.Message = http.StatusServiceUnavailable, "stopped: it took longer than this server allows"
	case errors.Is(err, schema.ErrNoBuild), errors.Is(err, explore.ErrNoFolder), errors.Is(err, explore.ErrNoEntry), errors.Is(err, show.ErrNoNode), errors.Is(err, fs.ErrNotExist):
		p.Status = http.StatusNotFound
	case errors.Is(err, objects.ErrDigest):
		p.Status, p.Message, p.Hint = http.StatusNotFound, "content is not at hand: its archive has changed", "scan it again as another build; pakdb index --store keeps contents"
	case errors.Is(err, query.ErrNoContent):
		p.Status, p.Hint = http.StatusNotFound, "the archive was moved, changed or removed since it was scanned; pakdb index --store keeps contents"
	case errors.Is(err, query.ErrTooLarge):
		p.Status, p.Hint = http.StatusRequestEntityTooLarge, "pakdb cat and pakdb extract have no such limit"
	case errors.Is(err, codecs.ErrUnknown):
		p.Status = http.StatusNotFound
	case errors.Is(err, query.ErrUsage):
		p.Status = http.StatusBadRequest
	}
	return p
}

// fail answers with an error. After the client has left there is no answer.
func fail(w http.ResponseWriter, err error) {
	p := problemOf(err)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	_ = json.NewEncoder(w).Encode(p)
}
