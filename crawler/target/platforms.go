package target

// sharing is how a platform tells its customers apart.
type sharing int

const (
	byHost sharing = iota // each host below it belongs to one customer
	byPath                // customers share hosts: its hosts say nothing about who operates a server
)

// platforms are domains on which many operators run servers, and which the Public Suffix List does not split (it does
// for vercel.app, workers.dev, run.app, trycloudflare.com and many more). Each line has the reason.
var platforms = map[string]sharing{
	"alpic.live":            byHost, // MCP hosting: one host a project
	"alpic.ai":              byHost, // MCP hosting: its own servers, and previews of customers
	"skybridge.tech":        byHost, // MCP hosting: one host a project
	"mctx.ai":               byHost, // MCP hosting: one host a server
	"mcpize.run":            byHost, // MCP hosting: one host a server
	"fastmcp.app":           byHost, // MCP hosting: one host a server
	"fastmcp.cloud":         byHost, // MCP hosting: one host a server
	"railway.app":           byHost, // hosting; up.railway.app is a public suffix, the domain itself is not
	"apify.actor":           byHost, // standby actors of the users of Apify
	"supabase.co":           byHost, // functions: one host a project
	"onrender.com":          byHost, // hosting
	"modal.run":             byHost, // functions
	"replit.app":            byHost, // hosting
	"azurewebsites.net":     byHost, // hosting
	"azurecontainerapps.io": byHost, // hosting
	"azure-api.net":         byHost, // API gateway: one host a customer
	"cloudfunctions.net":    byHost, // functions: one host a project and region
	"amazonaws.com":         byHost, // functions and gateways
	"on.aws":                byHost, // functions
	"herokuapp.com":         byHost, // hosting
	"nip.io":                byHost, // names for addresses
	"sslip.io":              byHost, // names for addresses
	"duckdns.org":           byHost, // names for home connections
	"ts.net":                byHost, // tunnels of Tailscale
	"ngrok.io":              byHost, // tunnels
	"ngrok.app":             byHost, // tunnels
	"ngrok.dev":             byHost, // tunnels
	"ngrok-free.app":        byHost, // tunnels
	"ngrok-free.dev":        byHost, // tunnels
	"loca.lt":               byHost, // tunnels
	"trycloudflare.com":     byHost, // tunnels
	"hf.space":              byHost, // Hugging Face: one host a space
	"chatgpt.site":          byHost, // sites of users
	"nanocorp.app":          byHost, // sites of users
	"smithery.ai":           byPath, // gateway to servers of others
	"pipedream.net":         byPath, // gateway to integrations of users
	"pipedream.com":         byPath, // gateway to integrations of users
	"apify.com":             byPath, // mcp.apify.com?tools=… serves the actors of its users
	"mcp.ai":                byPath, // api.mcp.ai serves servers of others
	"run.tools":             byPath, // gateway to servers of others
	"xpay.sh":               byPath, // paying gateway before servers of others
	"composio.dev":          byPath, // gateway to integrations of users
	"zapier.com":            byPath, // gateway to integrations of users
	"glama.ai":              byPath, // gateway to servers of others
	"klavis.ai":             byPath, // gateway to servers of others
	"googleapis.com":        byPath, // mixes Google's own servers with those of customers
	"huggingface.co":        byPath, // repositories of users
	"notion.site":           byPath, // pages of users
	"gitbook.io":            byPath, // documentation of customers
	"mintlify.app":          byPath, // documentation of customers
}
