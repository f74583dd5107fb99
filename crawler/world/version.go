package world

import (
	"strconv"
	"strings"
)

// semver is a version by semver.org 2.0.0, without the build metadata, which does not order.
type semver struct {
	core [3]uint64
	pre  []string
}

func parseSemver(v string) (semver, bool) {
	v, _, _ = strings.Cut(v, "+")
	core, pre, hasPre := strings.Cut(v, "-")
	parts := strings.Split(core, ".")
	if len(parts) != 3 {
		return semver{}, false
	}
	var s semver
	for i, p := range parts {
		n, err := strconv.ParseUint(p, 10, 64)
		if err != nil || (len(p) > 1 && p[0] == '0') {
			return semver{}, false
		}
		s.core[i] = n
	}
	if hasPre {
		s.pre = strings.Split(pre, ".")
	}
	return s, true
}

func (a semver) less(b semver) bool {
	for i := range a.core {
		if a.core[i] != b.core[i] {
			return a.core[i] < b.core[i]
		}
	}
	if (len(a.pre) == 0) != (len(b.pre) == 0) {
		return len(a.pre) > 0 // a pre-release comes before its release
	}
	for i := 0; i < len(a.pre) && i < len(b.pre); i++ {
		if a.pre[i] == b.pre[i] {
			continue
		}
		x, errX := strconv.ParseUint(a.pre[i], 10, 64)
		y, errY := strconv.ParseUint(b.pre[i], 10, 64)
		switch {
		case errX == nil && errY == nil:
			return x < y
		case errX == nil || errY == nil:
			return errX == nil // numbers come before words
		}
		return a.pre[i] < b.pre[i]
	}
	return len(a.pre) < len(b.pre)
}

// newer is the registry's rule of which of two rows is the latest: the higher semver; a semver beats what is none; of two
// that are none, the one that was published later.
func newer(a, b Row) bool {
	x, okX := parseSemver(a.Version)
	y, okY := parseSemver(b.Version)
	switch {
	case okX && okY:
		return y.less(x)
	case okX != okY:
		return okX
	}
	return a.PublishedAt.After(b.PublishedAt)
}
