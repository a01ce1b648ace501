//go:build !linux

package update_test

const childOf = "PAKDB_TEST_UPDATE_FROM"

func runChild() int { return 1 }
