/** A server of the Model Context Protocol with one tool, which returns the file in its arguments. */

/**
 * Returns the source of the server, for `node -e` or a file.
 * @param tool members of the tool besides its name, description and input
 */
export function mcpServer(tool: object = {}): string {
	const all = { name: 'all', description: 'All rows.', inputSchema: { type: 'object' }, ...tool };
	return `
const lines = require('node:readline').createInterface({ input: process.stdin });
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const text = require('node:fs').readFileSync(process.argv[2], 'utf8');
lines.on('line', (line) => {
	const { id, method, params } = JSON.parse(line);
	if (id === undefined) return;
	if (method === 'initialize') say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'rows', version: '1.0.0' } });
	else if (method === 'tools/list') say(id, { tools: [${JSON.stringify(all)}] });
	else if (method === 'tools/call') say(id, { content: [{ type: 'text', text }] });
	else say(id, {});
});
`;
}
