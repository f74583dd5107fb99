// A server on fastmcp: streamable HTTP at /mcp and HTTP+SSE at /sse.
// node fastmcp.mjs PORT
import { FastMCP } from 'fastmcp';
import { z } from 'zod';

const server = new FastMCP({ name: 'peer', version: '1.0.0' });
server.addTool({
  name: 'add_numbers',
  description: 'Adds two numbers.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({ content: [{ type: 'text', text: `${a + b}` }], structuredContent: { sum: a + b } }),
});
server.addTool({
  name: 'read_note',
  description: 'Reads the note.',
  annotations: { readOnlyHint: true },
  execute: async () => 'a note',
});
server.addTool({
  name: 'delete_note',
  description: 'Deletes the note.',
  annotations: { readOnlyHint: false, destructiveHint: true },
  execute: async () => 'deleted',
});
await server.start({
  transportType: 'httpStream',
  httpStream: { port: Number(process.argv[2]), host: '127.0.0.1', endpoint: '/mcp' },
});
