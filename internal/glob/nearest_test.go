package glob_test

import (
	"strings"
	"testing"

	"pakdb/internal/glob"
)

func TestNames(t *testing.T) {
	known := []string{"Calligraphy.sip", "mu_cdata.sip", "readme.txt"}
	for name, want := range map[string]string{
		"Caligraphy.sip": "Calligraphy.sip", "calligraphy.SIP": "Calligraphy.sip", "mu_data.sip": "mu_cdata.sip", "zzz": "", "cdata": "mu_cdata.sip",
	} {
		if got := strings.Join(glob.Nearest(name, known), ","); got != want {
			t.Errorf("glob.Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}
