/** The branches of one session of pi. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import type { RunningPi } from './pi.ts';
import { isContinuedBy, newestRequest, textOf } from './requests.ts';
import { hosts } from './session.ts';

const small = 4000;

/** An extension that makes pi go to an entry like `/tree`, because pi's RPC mode has no such command. */
const goTo = `export default function (pi) {
	pi.registerCommand('go-to', {
		handler: async (words, context) => {
			const [entry, isSummarized] = words.split(' ');
			await context.navigateTree(entry, { summarize: isSummarized !== undefined });
			context.ui.notify('There.', 'info');
		},
	});
}
`;

await insideAgents(
	({ begin }) => {
		it('the plugin keeps the decisions of a branch from other branches, and restores them there', {
			timeout,
		}, async () => {
			const session = await begin();
			await writeFile(join(session.home, '.pi/agent/extensions/goTo.js'), goTo);
			await session.restart();
			const leaf = () => (session.running() as RunningPi).leaf();
			const go = (entry: string) => session.running().command('go-to', entry);
			const compact = () => session.running().command('contextd-compact', '');
			for (let turn = 0; turn < 2; turn++) await session.turn([small]);
			const trunk = newestRequest(session);
			const fork = await leaf();
			await session.promptWith('Sail to the Azores.', [{ text: 'Aye.' }]);
			const azores = newestRequest(session);
			const first = await leaf();

			await go(fork);
			await session.promptWith('Sail to Madeira.', [{ text: 'Aye.' }]);
			const madeira = newestRequest(session);
			expect(isContinuedBy(trunk, madeira)).toBe(true);
			expect(textOf(madeira)).not.toContain('Azores');
			expect(await compact()).toContain('Context reduced from');
			await session.promptWith('And then?', [{ text: 'Home.' }]);
			const compacted = newestRequest(session);
			expect(compacted.request.tokens).toBeLessThan(madeira.request.tokens);
			expect(textOf(compacted)).toContain('Madeira');
			const second = await leaf();

			await go(first);
			expect(await session.running().command('contextd-undo', '')).toContain('nothing to undo');
			await session.promptWith('And then?', [{ text: 'Home.' }]);
			expect(isContinuedBy(azores, newestRequest(session))).toBe(true);
			expect(textOf(newestRequest(session))).not.toContain('Madeira');

			await session.restart();
			await go(second);
			await session.promptWith('How far is it?', [{ text: 'Far.' }]);
			expect(isContinuedBy(compacted, newestRequest(session))).toBe(true);
			expect(textOf(newestRequest(session))).not.toContain('Azores');
			expect(await session.running().command('contextd-undo', '')).toContain('what it got before');
			await session.promptWith('And back?', [{ text: 'As far.' }]);
			expect(isContinuedBy(madeira, newestRequest(session))).toBe(true);
			expect(textOf(newestRequest(session))).toContain('How far is it?');

			await go(`${first} summarized`);
			expect(await compact()).toContain('Context reduced from');
			await session.promptWith('Where are we?', [{ text: 'At sea.' }]);
			expect(textOf(newestRequest(session))).toContain('Azores');
			expect(newestRequest(session).request.tokens).toBeLessThan(azores.request.tokens);
		});
	},
	hosts.filter(({ agent }) => agent.name === 'pi'),
);
