package redact

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Hidden stands where something was taken out.
const Hidden = "REDACTED"

// secretWords are the parts of a parameter name that make its value a secret. A name is cut into words at every
// character that is no letter or digit and where a capital follows a small letter: apiKey, api_key and api-key are alike.
var secretWords = []string{
	"apikey", "auth", "authorization", "authentication", "bearer", "code", "cookie", "credential", "credentials", "hash", "hmac", "jwt",
	"key", "keys", "oauth", "otp", "pass", "passcode", "passphrase", "passwd", "password", "pat", "pin", "pwd", "secret", "secrets", "session",
	"sessionid", "sid", "sig", "signature", "signed", "ticket", "token", "tokens",
}

// secretEndings are for names that run together, such as accesstoken and clientsecret.
var secretEndings = []string{"apikey", "authkey", "secretkey", "token", "secret", "password", "passwd", "signature", "credential", "credentials"}

// secretValue recognises tokens by their form, wherever they stand: keys of well-known services, and JSON Web Tokens.
var secretValue = regexp.MustCompile(`(?:` +
	`(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)[-_][A-Za-z0-9_-]{8,}` +
	`|sk-[A-Za-z0-9]{20,}` +
	`|gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{16,}|glpat-[A-Za-z0-9_-]{16,}` +
	`|xox[abeoprs]-[A-Za-z0-9-]{10,}` +
	`|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}` +
	`|npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|apify_api_[A-Za-z0-9]{16,}|tvly-[A-Za-z0-9-]{16,}` +
	`|eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)`)

// template is a value that somebody else has to fill in: nothing to hide.
var template = regexp.MustCompile(`^(?:\{[^{}]*\}|%7[Bb][^{}]*%7[Dd])$`)

// SecretName says whether the name of a query parameter or header announces a secret.
func SecretName(name string) bool {
	if unescaped, err := url.QueryUnescape(name); err == nil {
		name = unescaped
	}
	for _, word := range words(name) {
		if slices.Contains(secretWords, word) || slices.ContainsFunc(secretEndings, func(end string) bool { return strings.HasSuffix(word, end) }) {
			return true
		}
	}
	return slices.Contains(secretWords, strings.Join(words(name), ""))
}

func words(name string) []string {
	var list []string
	start := 0
	cut := func(end int) {
		if start < end {
			list = append(list, strings.ToLower(name[start:end]))
		}
	}
	for i := range len(name) {
		c := name[i]
		upper := 'A' <= c && c <= 'Z'
		afterLower := i > 0 && ('a' <= name[i-1] && name[i-1] <= 'z')
		switch {
		case upper && afterLower:
			cut(i)
			start = i
		case !upper && (c < 'a' || c > 'z') && (c < '0' || c > '9') && c < 0x80:
			cut(i)
			start = i + 1
		}
	}
	cut(len(name))
	return list
}

// URL returns a URL that may be shown: user name and password, the values of parameters whose names announce a secret
// (query and fragment), and tokens that are recognised by their form are replaced by REDACTED. Everything else stays as
// it is written. It works on the text, so that it also protects URLs that no parser accepts, and never fails.
func URL(raw string) string {
	rest, fragment, hasFragment := strings.Cut(hideUser(raw), "#")
	rest, query, hasQuery := strings.Cut(rest, "?")
	out := secretValue.ReplaceAllString(rest, Hidden)
	if hasQuery {
		out += "?" + parameters(query)
	}
	if hasFragment {
		out += "#" + parameters(fragment)
	}
	return out
}

// hideUser hides what stands before the last @ of the authority (RFC 3986 §3.2.1). An authority ends at the first of
// / ? #, but one that would then have a port of other than digits is a password with ? or # in it.
func hideUser(raw string) string {
	start := 0
	if i := strings.Index(raw, "//"); i >= 0 {
		start = i + 2
	} else if i := strings.IndexByte(raw, ':'); i >= 0 {
		start = i + 1 // https:user:password@host, as people mistype it
	}
	part := raw[start:]
	if i := strings.IndexAny(part, `/\`); i >= 0 {
		part = part[:i]
	}
	if i := strings.IndexAny(part, "?#"); i >= 0 {
		_, port, _ := strings.Cut(part[:i], ":")
		if strings.Trim(port, "0123456789") == "" || strings.HasPrefix(part, "[") || strings.Contains(part[:i], "@") {
			part = part[:i]
		}
	}
	at := strings.LastIndexByte(part, '@')
	if at < 0 {
		return raw
	}
	return raw[:start] + Hidden + raw[start+at:]
}

func parameters(query string) string {
	var out strings.Builder
	for len(query) > 0 {
		pair := query
		separator := ""
		if i := strings.IndexAny(query, "&;"); i >= 0 {
			pair, separator = query[:i], query[i:i+1]
		}
		query = query[len(pair)+len(separator):]
		name, value, hasValue := strings.Cut(pair, "=")
		if hasValue && value != "" && !template.MatchString(value) && SecretName(name) {
			value = Hidden
		}
		out.WriteString(secretValue.ReplaceAllString(name, Hidden))
		if hasValue {
			out.WriteString("=" + secretValue.ReplaceAllString(value, Hidden))
		}
		out.WriteString(separator)
	}
	return out.String()
}
