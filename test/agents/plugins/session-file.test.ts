/** The session file that pi writes with contextd inside. */

import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import { newestRequest, textOf } from './requests.ts';
import { hosts } from './session.ts';

/** The kinds of entries that pi writes by itself. */
const kinds = ['compaction', 'message', 'model_change', 'session', 'thinking_level_change'];

await insideAgents(
	({ begin, host }) => {
		it('pi without the extension continues the session file', { timeout }, async () => {
			const session = await begin();
			for (let turn = 0; turn < 3; turn++) await session.turn([15_000]);
			await session.running().compact();
			await session.turn([4000]);
			const entries = (await session.running().transcript())
				.split('\n')
				.filter((line) => line !== '')
				.map((line): { type: string; summary?: string } => JSON.parse(line));
			expect([...new Set(entries.map(({ type }) => type))].sort()).toEqual(kinds);
			const summary = entries.find(({ type }) => type === 'compaction')?.summary ?? '';
			expect(summary).toContain('document 1');
			await session.running().end();
			await session.contextd('uninstall', host.agent.name);
			await session.restart();
			await session.turn([4000]);
			const now = newestRequest(session);
			expect(now.request.tools.has('contextd_recall')).toBe(false);
			expect(textOf(now)).toContain(JSON.stringify(summary).slice(1, -1));
			expect(textOf(now)).toContain('document 5');
		});
	},
	hosts.filter(({ agent }) => agent.name === 'pi'),
);
