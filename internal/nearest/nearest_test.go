package nearest_test

import (
	"strings"
	"testing"

	"pakdb/internal/nearest"
)

func TestNames(t *testing.T) {
	known := []string{"Calligraphy.sip", "mu_cdata.sip", "readme.txt"}
	for name, want := range map[string]string{
		"Caligraphy.sip": "Calligraphy.sip", "calligraphy.SIP": "Calligraphy.sip", "mu_data.sip": "mu_cdata.sip", "zzz": "", "cdata": "mu_cdata.sip",
	} {
		if got := strings.Join(nearest.Names(name, known), ","); got != want {
			t.Errorf("nearest.Names(%q) = %q, want %q", name, got, want)
		}
	}
}
