import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { removeFolders } from '../support/app.ts';
import { cleanUp, daemonFile, freshHome, killWriter } from '../support/daemon.ts';
import { codexHome } from './codexHome.ts';

afterEach(async () => {
	await cleanUp();
	await removeFolders();
});

/** Returns the environment of an agent in a home. */
function environmentIn(base: string, stateFolder: string): Record<string, string> {
	return { PATH: process.env.PATH ?? '', HOME: base, CONTEXTD_HOME: stateFolder };
}

describe('the process of contextd mcp', () => {
	it.each(['legacy', 'auto'] as const)(
		'serves a client that negotiates by %s, also after the daemon was killed',
		async (mode) => {
			const { base, workspace } = codexHome();
			const stateFolder = await freshHome();
			const client = new Client(
				{ name: 'codex-mcp-client', version: '1.0.0' },
				{ versionNegotiation: { mode } },
			);
			await client.connect(
				new StdioClientTransport({
					command: process.execPath,
					args: [daemonFile, 'mcp'],
					cwd: workspace,
					env: environmentIn(base, stateFolder),
				}),
			);
			const recall = { name: 'contextd_recall', arguments: { query: 'lighthouse of Sylt' } };
			const found = expect.objectContaining({
				content: [{ type: 'text', text: expect.stringContaining('The lighthouse of Sylt is red.') }],
			});
			expect(await client.callTool(recall)).toEqual(found);
			const everywhere = { query: 'lighthouse', scope: 'workspace' };
			expect(await client.callTool({ ...recall, arguments: everywhere })).toMatchObject({
				isError: true,
				content: [{ type: 'text', text: expect.stringContaining('contextd record on') }],
			});
			await killWriter(stateFolder);
			expect(await client.callTool(recall)).toEqual(found);
			await client.close();
		},
	);

	it('writes nothing but answers to its output, and ends when its input ends', async () => {
		const { base, workspace } = codexHome();
		const child = spawn(process.execPath, [daemonFile, 'mcp'], {
			cwd: workspace,
			env: environmentIn(base, await freshHome()),
		});
		const output = text(child.stdout);
		child.stdin.write('no JSON\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
		await once(child.stdout, 'data');
		child.stdin.end();
		const [code] = await once(child, 'exit');
		expect(code).toBe(0);
		const lines = (await output).trim().split('\n');
		expect(lines.map((line) => JSON.parse(line).id)).toEqual([1]);
	});

	it('refuses an operand', async () => {
		const child = spawn(process.execPath, [daemonFile, 'mcp', 'codex'], {
			stdio: ['ignore', 'ignore', 'pipe'],
		});
		const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
		expect(child.exitCode).toBe(2);
		expect(errors).toMatch(/^contextd: mcp: expected no operand, got "codex"/);
	});
});
