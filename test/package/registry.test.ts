import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const read = async (name: string) =>
	JSON.parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8'));

it('server.json describes this package as the MCP registry requires', async () => {
	const { name, version, mcpName } = await read('package.json');
	const { $schema, ...server } = await read('server.json');
	expect($schema).toMatch(
		/^https:\/\/static\.modelcontextprotocol\.io\/schemas\/[\d-]+\/server\.schema\.json$/,
	);
	// The registry compares this name with the name in the published package.
	expect(mcpName).toMatch(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
	expect(server).toEqual({
		name: mcpName,
		title: name,
		description: expect.any(String),
		version,
		packages: [
			{
				registryType: 'npm',
				identifier: name,
				version,
				runtimeHint: 'npx',
				transport: { type: 'stdio' },
				packageArguments: [{ type: 'positional', value: 'mcp' }],
			},
		],
	});
	expect(server.description.length).toBeLessThanOrEqual(100);
});
