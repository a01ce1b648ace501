package ship

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pakdb/cmd/pakdb/internal/cli"
	"pakdb/diff/ship/store"
	"pakdb/diff/ship/store/publish"
	"pakdb/diff/ship/store/trust"
)

// soon is how long before it expires publishers are warned of signed metadata that their
// key did not renew: the owners of the root's keys may need some weeks to meet.
const soon = 60 * 24 * time.Hour

// warnOfExpiry warns of what expires soon in a store that was signed just now.
func warnOfExpiry(a *cli.App, t *publish.Trusted) {
	for _, text := range expiring(t.Expires, time.Now()) {
		a.Warn(text)
	}
}

// expiring tells which roles expire soon, and who renews them, a line each. The timestamp
// is signed whenever anything is.
func expiring(expires map[string]time.Time, now time.Time) (lines []string) {
	for _, role := range []string{trust.RoleRoot, trust.RoleTargets, trust.RoleSnapshot} {
		until, ok := expires[role]
		if !ok || until.Sub(now) >= soon {
			continue
		}
		who := "a key that may publish renews it: pakdb store sign --sign KEY"
		if role == trust.RoleRoot {
			who = "the keys of the root renew it: pakdb store keys change --sign KEY"
		}
		lines = append(lines, fmt.Sprintf("the signed %s expires on %s, and clients stop then; %s", role, until.UTC().Format(time.RFC3339), who))
	}
	return lines
}

// findExpired tells finding which signed metadata of a store clients refuse by now.
func findExpired(ctx context.Context, dir string, finding func(name string, err error)) error {
	t, err := publish.ReadTrust(ctx, dir, nil)
	if errors.Is(err, store.ErrUnsigned) {
		return nil
	} else if err != nil {
		return err
	}
	for _, role := range trust.Roles() {
		if until, ok := t.Expires[role]; ok && !time.Now().Before(until) {
			name := trust.Name(role, t.Version[role])
			if role == trust.RoleTimestamp {
				name = trust.TimestampName
			}
			finding(name, fmt.Errorf("%w, on %s", trust.ErrExpired, until.UTC().Format(time.RFC3339)))
		}
	}
	return nil
}
