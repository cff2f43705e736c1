/** Outputs of tools as they enter an agent's session. */

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mcpServer } from '../mcpServer.ts';
import type { ScriptedAnswer } from '../mock/server.ts';
import { insideAgents, timeout } from './inside.ts';
import { newestRequest, textOf } from './requests.ts';
import { hosts } from './session.ts';

const lineOf = (no: number) => createHash('sha1').update(String(no)).digest('hex');
const lines = Array.from({ length: 200 }, (_, no) => lineOf(no));
const output = lines.join('\n');
const middle = lineOf(100);
const failure = 'error: the harbour is closed';
const cut = 'lines in all; contextd_recall with';

/** Returns the id with which the rest of a shortened output can be read. */
const idIn = (text: string) => /contextd_recall with \\*"([^"\\]+)/.exec(text)?.[1] ?? '';
const recall = (query: string): ScriptedAnswer => ({ calls: [{ name: 'contextd_recall', args: { query } }] });

await insideAgents(({ begin }) => {
	it('the plugin cuts a long output once, sends the same cut in each request, and keeps the whole output', {
		timeout,
	}, async () => {
		const session = await begin();
		await writeFile(join(session.project, 'long.txt'), output);
		const show = { name: 'bash', args: { command: 'cat long.txt', description: 'Shows it' } };
		const fail = { name: 'bash', args: { command: 'cat long.txt; exit 3', description: 'Fails' } };
		await session.promptWith('Show it.', [{ calls: [show] }, { text: 'Shown.' }]);
		const first = textOf(newestRequest(session));
		expect(first).toContain(cut);
		expect(first).not.toContain(middle);
		expect(await session.running().transcript()).toContain(middle);

		const id = idIn(first);
		await session.promptWith('And the middle?', [recall(id), { calls: [fail] }, { text: 'There.' }]);
		const later = textOf(newestRequest(session));
		expect(later.split(cut)).toHaveLength(first.split(cut).length);
		expect(later.split(middle)).toHaveLength(3);
		const told = await session.journal(await session.running().contextdId());
		expect(JSON.stringify(told)).toContain(`"answers":"${id}"`);
		expect(told.find(({ m }) => m?.role === 'tool')?.m?.content).toContain(middle);
		await session.restart();
		await session.promptWith('And once more?', [recall(id), { text: 'There.' }]);
		expect(textOf(newestRequest(session)).split(middle)).toHaveLength(4);
	});
});

/** The inspected part of OpenCode's storage. */
interface Stored {
	parts: {
		tool?: string;
		state?: { title: string; output: string; metadata: { exit?: number; contextd?: { whole: string } } };
	}[];
}

await insideAgents(
	({ begin }) => {
		it('the plugin stores the whole of a cut output in a file, which a fork finds too', {
			timeout,
		}, async () => {
			const session = await begin();
			const file = join(session.project, 'long.txt');
			await writeFile(file, [...lines.slice(0, 90), failure, ...lines.slice(90)].join('\n'));
			await writeFile(join(session.project, 'server.cjs'), mcpServer());
			const settings = join(session.home, '.config/opencode/opencode.json');
			const command = [process.execPath, join(session.project, 'server.cjs'), file];
			const mcp = { rows: { type: 'local', command, enabled: true } };
			await writeFile(settings, JSON.stringify({ ...JSON.parse(await readFile(settings, 'utf8')), mcp }));
			await session.restart();
			const show = { name: 'bash', args: { command: 'cat long.txt', description: 'Shows it' } };
			const read = { name: 'read', args: { filePath: file } };
			const some = { name: 'read', args: { filePath: file, offset: 1, limit: 150 } };
			await session.promptWith('Show it.', [
				{ calls: [show] },
				{ calls: [read] },
				{ calls: [{ name: 'rows_all', args: {} }] },
				{ calls: [read] },
				{ calls: [some] },
				{ text: 'Shown.' },
			]);
			const messages: Stored[] = JSON.parse(await session.running().transcript());
			const results = messages.flatMap(({ parts }) => parts.filter(({ tool }) => tool !== undefined));
			expect(results.map(({ tool, state }) => [tool, state?.output.includes(cut)])).toEqual([
				['bash', true],
				['read', true],
				['rows_all', true],
				['read', false],
				['read', false],
			]);
			for (const { state } of results.slice(0, 3)) {
				expect(state?.output).toContain(lineOf(0));
				expect(state?.output).toContain(failure);
				expect(state?.output).toContain(lineOf(199));
				expect(state?.output).not.toContain(middle);
				expect(state?.metadata.contextd?.whole).toContain(middle);
			}
			expect(results[0]?.state).toMatchObject({ title: 'cat long.txt', metadata: { exit: 0 } });
			const request = textOf(newestRequest(session));
			for (const { state } of results) expect(request).toContain(JSON.stringify(state?.output).slice(1, -1));

			await session.running().fork();
			await session.promptWith('And the middle?', [
				recall(idIn(results[0]?.state?.output ?? '')),
				{ text: 'There.' },
			]);
			expect(textOf(newestRequest(session)).split(middle)).toHaveLength(request.split(middle).length + 1);
		});
	},
	hosts.filter(({ agent }) => agent.name === 'opencode'),
);
