/** How contextd comes into an agent, and out of it. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import { newestRequest, textOf } from './requests.ts';

const lineOf = (no: number) => createHash('sha1').update(String(no)).digest('hex');
const output = Array.from({ length: 200 }, (_, no) => lineOf(no)).join('\n');
const middle = lineOf(100);
const cut = 'lines in all; contextd_recall with';

await insideAgents(({ host, begin }) => {
	it('cuts a long output once, the same in each request, and the session keeps it whole', {
		timeout,
	}, async () => {
		const session = await begin();
		await writeFile(join(session.project, 'long.txt'), output);
		const show = { name: 'bash', args: { command: 'cat long.txt', description: 'Shows it' } };
		const fail = { name: 'bash', args: { command: 'cat long.txt; exit 3', description: 'Fails' } };
		await session.said('Show it.', [{ calls: [show] }, { text: 'Shown.' }]);
		const first = textOf(newestRequest(session));
		expect(first).toContain(cut);
		expect(first).not.toContain(middle);
		expect(await session.running().transcript()).toContain(middle);
		const id = /contextd_recall with \\"([^"\\]+)/.exec(first)?.[1] ?? '';

		const recall = { name: 'contextd_recall', args: { query: id } };
		await session.said('And the middle?', [{ calls: [recall] }, { calls: [fail] }, { text: 'There.' }]);
		const later = textOf(newestRequest(session));
		expect(later.split(cut)).toHaveLength(first.split(cut).length);
		expect(later.split(middle)).toHaveLength(3);
		await session.restart();
		await session.turn([]);
		expect(textOf(newestRequest(session)).split(middle)).toHaveLength(3);
	});

	it('goes by the settings that hold for all plugins', { timeout }, async () => {
		const session = await begin();
		const settings = join(session.home, '.local/state/contextd/agents/settings.json');
		const set = { ...JSON.parse(await readFile(settings, 'utf8')), agents: { toolResultTokens: 0 } };
		await writeFile(settings, JSON.stringify(set));
		await session.restart();
		await session.turn([]);
		expect(await session.running().command('contextd', '')).toMatch(/tokens \(\d+%\)/);
		await session.turn([15_000]);
		expect(textOf(newestRequest(session))).not.toContain(cut);
	});

	it('is looked at, and leaves no file behind where it is taken out', { timeout }, async () => {
		const session = await begin();
		expect(await session.contextd('doctor', host.agent.name)).toContain('the plugin is');
		await session.turn([4000]);
		const inside = newestRequest(session);
		await session.running().end();
		await session.contextd('uninstall', host.agent.name);
		expect(existsSync(join(session.home, host.file))).toBe(false);
		await expect(session.contextd('doctor', host.agent.name)).rejects.toMatchObject({
			stdout: expect.stringContaining('not installed'),
		});
		await session.restart();
		await session.turn([4000]);
		expect(newestRequest(session).request.tools.has('contextd_recall')).toBe(false);
		expect(inside.request.tools.has('contextd_recall')).toBe(true);
	});
});
