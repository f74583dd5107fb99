// A server on mcp-framework.
// node mcp-framework.mjs http-stream|sse PORT
import { MCPServer, MCPTool } from 'mcp-framework';
// The framework recognises schemas by instanceof, so they must be made by the copy of zod that it has.
import { z } from './node_modules/mcp-framework/node_modules/zod/index.js';

class AddNumbers extends MCPTool {
  name = 'add_numbers';
  description = 'Adds two numbers.';
  schema = z.object({ a: z.number().describe('one'), b: z.number().describe('the other') });
  outputSchemaShape = z.object({ sum: z.number().describe('their sum') });
  async execute({ a, b }) {
    return { sum: a + b };
  }
}

class ReadNote extends MCPTool {
  name = 'read_note';
  description = 'Reads the note.';
  annotations = { readOnlyHint: true };
  schema = z.object({});
  async execute() {
    return 'a note';
  }
}

class DeleteNote extends MCPTool {
  name = 'delete_note';
  description = 'Deletes the note.';
  annotations = { readOnlyHint: false, destructiveHint: true };
  schema = z.object({});
  async execute() {
    return 'deleted';
  }
}

const [type, port] = process.argv.slice(2);
const server = new MCPServer({
  name: 'peer',
  version: '1.0.0',
  transport: { type, options: { port: Number(port), host: '127.0.0.1' } },
});
for (const tool of [AddNumbers, ReadNote, DeleteNote]) {
  server.addTool(tool);
}
await server.start();
