//go:build unix

package peer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// AnonymousNamespace is the one in which anybody may publish to the registry.
const AnonymousNamespace = "io.modelcontextprotocol.anonymous"

// Exec runs SQL in the registry's database and returns what it prints, unaligned and without headings.
func (g *Registry) Exec(sql string) string {
	g.tb.Helper()
	cmd := exec.CommandContext(g.tb.Context(), g.postgres("psql"), "-X", "-h", "127.0.0.1", "-p", strconv.Itoa(g.pgPort), "-U", "registry",
		"-d", "registry", "-v", "ON_ERROR_STOP=1", "-Atq")
	cmd.Stdin = strings.NewReader(sql)
	output, err := cmd.CombinedOutput()
	if err != nil {
		g.tb.Fatalf("run SQL in the registry's database: %v\n%s", err, tail(output))
	}
	return strings.TrimRight(string(output), "\n")
}

// Insert adds server.json documents past the registry's validation, active and published now. Each becomes the latest
// version of its name.
func (g *Registry) Insert(documents ...json.RawMessage) {
	g.tb.Helper()
	tag := "$document$"
	var sql strings.Builder
	for _, d := range documents {
		if bytes.Contains(d, []byte(tag)) {
			g.tb.Fatalf("a server.json must not contain %s", tag)
		}
		fmt.Fprintf(&sql, `begin;
create temp table fresh on commit drop as select %s%s%s::jsonb as value;
update servers set is_latest = false where server_name = (select value->>'name' from fresh);
insert into servers (server_name, version, status, status_changed_at, published_at, updated_at, is_latest, value)
select value->>'name', value->>'version', 'active', now(), now(), now(), true, value from fresh;
commit;
`, tag, d, tag)
	}
	g.Exec(sql.String())
}

// Publish sends a server.json through the API, as publishers do; its name must be in the AnonymousNamespace.
func (g *Registry) Publish(document json.RawMessage) {
	g.tb.Helper()
	g.write(http.MethodPost, "publish", document)
}

// SetStatus changes the status of one version, or of all when version is empty, through the API; the name must be in the
// AnonymousNamespace.
func (g *Registry) SetStatus(name, version, status string) {
	g.tb.Helper()
	path := "servers/" + url.PathEscape(name)
	if version != "" {
		path += "/versions/" + url.PathEscape(version)
	}
	g.write(http.MethodPatch, path+"/status", json.RawMessage(`{"status":`+strconv.Quote(status)+`}`))
}

func (g *Registry) write(method, path string, body json.RawMessage) {
	g.tb.Helper()
	var auth struct {
		Token string `json:"registry_token"`
	}
	if err := json.Unmarshal(g.request(http.MethodPost, "auth/none", "", nil), &auth); err != nil {
		g.tb.Fatalf("sign in to the registry: %v", err)
	}
	g.request(method, path, auth.Token, body)
}

func (g *Registry) request(method, path, token string, body []byte) []byte {
	g.tb.Helper()
	req, err := http.NewRequestWithContext(g.tb.Context(), method, g.URL+"/v0.1/"+path, bytes.NewReader(body))
	if err != nil {
		g.tb.Fatalf("ask the registry: %v", err)
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Timeout: time.Minute}
	res, err := client.Do(req)
	if err != nil {
		g.tb.Fatalf("ask the registry: %v", err)
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		g.tb.Fatalf("%s %s of the registry: %s %v\n%s", method, path, res.Status, err, tail(answer))
	}
	return answer
}

// StopDatabase stops the registry's Postgres: the registry answers 500 from then on.
func (g *Registry) StopDatabase() {
	g.tb.Helper()
	g.pgCtl("-m", "fast", "-w", "stop")
}

// StartDatabase starts it again and waits until the registry has noticed: its first requests still use connections that
// are gone.
func (g *Registry) StartDatabase() {
	g.tb.Helper()
	defer g.awaitAnswer()
	g.pgCtl("-l", filepath.Join(g.root, "pg", "pg.log"), "-w", "start", "-o", fmt.Sprintf(
		"-c listen_addresses=127.0.0.1 -c port=%d -c unix_socket_directories= -c max_connections=120 -c fsync=off", g.pgPort))
}

func (g *Registry) awaitAnswer() {
	g.tb.Helper()
	deadline := time.NewTimer(startWait)
	defer deadline.Stop()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	req, err := http.NewRequestWithContext(g.tb.Context(), http.MethodGet, g.URL+"/v0.1/servers?limit=1", nil)
	if err != nil {
		g.tb.Fatalf("ask the registry: %v", err)
	}
	for {
		res, err := http.DefaultClient.Do(req)
		if err == nil {
			_ = res.Body.Close() // only the status counts
			if res.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case <-again.C:
		case <-deadline.C:
			g.tb.Fatalf("the registry does not answer %s after the start of its database", startWait)
		}
	}
}

func (g *Registry) pgCtl(args ...string) {
	g.tb.Helper()
	home := filepath.Join(g.root, "pg")
	cmd := exec.CommandContext(g.tb.Context(), g.postgres("pg_ctl"), append([]string{"-D", filepath.Join(home, "data")}, args...)...)
	cmd.Dir = home
	cmd.Env = append(os.Environ(), "HOME="+home)
	if os.Getuid() == 0 { // Postgres refuses to run as root
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: g.owner()}
	}
	output, err := os.Create(filepath.Join(g.root, "pg_ctl.log")) // a file: the server must not hold a pipe of ours
	if err != nil {
		g.tb.Fatalf("log of pg_ctl: %v", err)
	}
	defer func() { _ = output.Close() }()
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(output.Name()) // the other error counts
		g.tb.Fatalf("pg_ctl %s: %v\n%s", strings.Join(args, " "), err, tail(said))
	}
}

// owner is the account of the cluster.
func (g *Registry) owner() *syscall.Credential {
	g.tb.Helper()
	account, err := user.Lookup(g.state("PGOWNER"))
	if err != nil {
		g.tb.Fatalf("find the account of the registry's database: %v", err)
	}
	uid, errU := strconv.ParseUint(account.Uid, 10, 32)
	gid, errG := strconv.ParseUint(account.Gid, 10, 32)
	if errU != nil || errG != nil {
		g.tb.Fatalf("account %s has no numbers", account.Username)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func (g *Registry) postgres(program string) string {
	g.tb.Helper()
	return filepath.Join(g.state("PGB"), program)
}

// state is a setting that the registry was started with.
func (g *Registry) state(key string) string {
	g.tb.Helper()
	content, err := os.ReadFile(filepath.Join(g.root, "state"))
	if err != nil {
		g.tb.Fatalf("read the settings of the registry: %v", err)
	}
	for line := range strings.Lines(string(content)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), key+"="); ok {
			return value
		}
	}
	g.tb.Fatalf("the settings of the registry have no %s", key)
	return ""
}
