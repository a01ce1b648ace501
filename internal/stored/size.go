package stored

import (
	"fmt"
	"math"
)

// HumanSize writes a number of bytes in binary units with one decimal:
// "512 B", "1.5 MiB".
func HumanSize(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	i := 0
	// 1023.95 would be rounded to 1024.0 of its unit.
	for ; math.Abs(n) >= 1023.95 && i < len(units)-1; i++ {
		n /= 1024
	}
	if i == 0 {
		return fmt.Sprintf("%.0f B", n)
	}
	return fmt.Sprintf("%.1f %s", n, units[i])
}
