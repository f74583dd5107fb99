// A server on the official TypeScript SDK v1.
// node typescript-v1.mjs sdk-v1-new|sdk-v1-old http|stateless|sse PORT
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

const [sdk, mode, port] = process.argv.slice(2);
const { z } = await import(sdk === 'sdk-v1-old' ? 'zod-v3' : 'zod');
const { McpServer } = await import(`${sdk}/server/mcp.js`);
const { StreamableHTTPServerTransport } = await import(`${sdk}/server/streamableHttp.js`);
const { SSEServerTransport } = await import(`${sdk}/server/sse.js`);

function newServer() {
  const server = new McpServer({ name: 'peer', version: '1.0.0' });
  server.registerTool('add_numbers', {
    description: 'Adds two numbers.',
    inputSchema: { a: z.number(), b: z.number() },
    outputSchema: { sum: z.number() },
  }, ({ a, b }) => ({ content: [{ type: 'text', text: `${a + b}` }], structuredContent: { sum: a + b } }));
  server.registerTool('read_note', {
    description: 'Reads the note.',
    annotations: { readOnlyHint: true },
  }, () => ({ content: [{ type: 'text', text: 'a note' }] }));
  server.registerTool('delete_note', {
    description: 'Deletes the note.',
    annotations: { readOnlyHint: false, destructiveHint: true },
  }, () => ({ content: [{ type: 'text', text: 'deleted' }] }));
  return server;
}

const sessions = new Map();

async function streamable(req, res) {
  if (mode === 'stateless') {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    res.on('close', () => transport.close());
    await newServer().connect(transport);
    return transport.handleRequest(req, res);
  }
  const id = req.headers['mcp-session-id'];
  if (id !== undefined) {
    const known = sessions.get(id);
    return known ? known.handleRequest(req, res) : res.writeHead(404).end();
  }
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (fresh) => sessions.set(fresh, transport),
  });
  transport.onclose = () => sessions.delete(transport.sessionId);
  await newServer().connect(transport);
  return transport.handleRequest(req, res);
}

async function legacySSE(req, res) {
  const url = new URL(req.url, 'http://localhost');
  if (req.method === 'GET' && url.pathname === '/sse') {
    const transport = new SSEServerTransport('/messages', res);
    sessions.set(transport.sessionId, transport);
    res.on('close', () => sessions.delete(transport.sessionId));
    return newServer().connect(transport);
  }
  const known = sessions.get(url.searchParams.get('sessionId'));
  if (req.method === 'POST' && url.pathname === '/messages' && known) {
    return known.handlePostMessage(req, res);
  }
  return res.writeHead(404).end();
}

createServer(mode === 'sse' ? legacySSE : streamable).listen(Number(port), '127.0.0.1');
