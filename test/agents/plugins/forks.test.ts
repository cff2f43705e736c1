/** Copies of sessions, reverted sessions, and sessions of subagents. */

import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import type { RunningOpenCode } from './openCode.ts';
import { isContinuedBy, newestRequest, textOf } from './requests.ts';
import { hosts } from './session.ts';

const small = 4000;
const openCodes = hosts.filter(({ agent }) => agent.name === 'opencode');

await insideAgents(({ begin }) => {
	it('the plugin keeps a fork and its origin apart', { timeout }, async () => {
		const session = await begin();
		for (let turn = 0; turn < 2; turn++) await session.turn([small]);
		const whole = newestRequest(session);
		const first = await session.running().contextdId();
		const original = session.running().sessionId;
		expect(await session.running().command('contextd-compact', '')).toContain('Context reduced from');
		await session.turn([]);
		const compacted = newestRequest(session);
		await session.running().fork();
		const second = await session.running().contextdId();
		expect(second).not.toBe(first);
		await session.turn([small]);
		expect(isContinuedBy(whole, newestRequest(session))).toBe(true);
		const toldOfFirst = (await session.journal(first)).length;
		expect(toldOfFirst).toBeGreaterThan(0);
		expect(await session.running().command('contextd-compact', '')).toContain('Context reduced from');
		await session.turn([]);
		expect((await session.journal(first)).length).toBe(toldOfFirst);
		expect((await session.journal(second)).some(({ record }) => record?.step?.cause === 'compact')).toBe(
			true,
		);
		await session.restart(original);
		await session.turn([]);
		expect(isContinuedBy(compacted, newestRequest(session))).toBe(true);
	});
});

await insideAgents(({ begin }) => {
	it('the plugin drops reverted messages, and does not change requests for titles', { timeout }, async () => {
		const session = await begin();
		await session.turn([small]);
		const before = newestRequest(session);
		await session.promptWith('Sail to the Azores.', [{ text: 'Aye.' }]);
		await (session.running() as RunningOpenCode).revert();
		await session.turn([small]);
		const now = newestRequest(session);
		expect(isContinuedBy(before, now)).toBe(true);
		expect(textOf(now)).not.toContain('Azores');
		await session.promptWith('Sail to Madeira.', [{ text: 'Aye.' }]);
		await (session.running() as RunningOpenCode).revert();
		expect(await session.running().command('contextd-compact', '')).toContain('Context reduced from');
		await session.turn([]);
		expect(newestRequest(session).request.tokens).toBeLessThan(now.request.tokens);
		expect(textOf(newestRequest(session))).not.toContain('Madeira');
		const titles = session.mock.exchanges.filter(({ request }) => request.kind === 'aside');
		expect(titles.length).toBeGreaterThan(0);
		const told = await session.journal(await session.running().contextdId());
		expect(told).not.toEqual([]);
		expect(told.some(({ m }) => JSON.stringify(m ?? '').includes('title'))).toBe(false);
	});

	it('the plugin gives a subagent a session of its own', { timeout }, async () => {
		const session = await begin();
		await session.turn([small]);
		const before = newestRequest(session);
		const task = {
			name: 'task',
			args: { description: 'Sound it', prompt: 'Sound the depth of the bay.', subagent_type: 'general' },
		};
		// A question of the model to contextd waits until the daemon knows the session.
		const stats = { calls: [{ name: 'contextd_stats', args: {} }] };
		const sounded = [stats, { text: 'Five fathoms.' }];
		await session.promptWith('Have it sounded.', [{ calls: [task] }, ...sounded, stats, { text: 'Done.' }]);
		const now = newestRequest(session);
		expect(isContinuedBy(before, now)).toBe(true);
		expect(textOf(now)).toContain('Five fathoms.');
		const [child = ''] = await (session.running() as RunningOpenCode).children();
		const own = await session.journal(`opencode:${child}`);
		expect(own.map(({ m }) => m?.content)).toContain('Sound the depth of the bay.');
		const parent = await session.journal(await session.running().contextdId());
		expect(parent.map(({ m }) => m?.content)).toContain('Have it sounded.');
		expect(parent.map(({ m }) => m?.content)).not.toContain('Sound the depth of the bay.');
	});
}, openCodes);
