package query

import "fmt"

func HumanSize(n int64) string { return fmt.Sprint(n) }
