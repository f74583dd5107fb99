// A server on the official TypeScript SDK v2, which speaks both eras.
// node typescript-v2.mjs PORT
import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { z } from 'zod';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'peer', version: '1.0.0' });
  server.registerTool('add_numbers', {
    description: 'Adds two numbers.',
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
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
});

createServer(toNodeHandler(handler)).listen(Number(process.argv[2]), '127.0.0.1');
