/** Requests of users and models to contextd inside an agent. */

import { expect, it } from 'vitest';
import { insideAgents, timeout } from './inside.ts';
import { isContinuedBy, newestRequest, textOf } from './requests.ts';

const small = 4000;
const words = 'The harbour closes at nine';

await insideAgents(({ begin }) => {
	it('the plugin compacts and undoes on request, in the same and in a new process', { timeout }, async () => {
		const session = await begin();
		for (let turn = 0; turn < 3; turn++) await session.turn([small]);
		const whole = newestRequest(session);
		const compact = () => session.running().command('contextd-compact', '');
		expect(await compact()).toContain('Context reduced from');
		await session.turn([]);
		expect(newestRequest(session).request.tokens).toBeLessThan(whole.request.tokens);
		await session.turn([small]);

		expect(await session.running().command('contextd-undo', '')).toContain('what it got before');
		await session.turn([]);
		expect(isContinuedBy(whole, newestRequest(session))).toBe(true);
		expect(await session.running().command('contextd', '')).toMatch(/tokens \(<?\d+%\)/);

		const taken = newestRequest(session);
		expect(await compact()).toContain('Context reduced from');
		await session.turn([]);
		const compacted = newestRequest(session);
		expect(compacted.request.tokens).toBeLessThan(taken.request.tokens);
		await session.restart();
		await session.turn([]);
		expect(isContinuedBy(compacted, newestRequest(session))).toBe(true);
		await session.restart();
		expect(await session.running().command('contextd-undo', '')).toContain('what it got before');
		await session.turn([]);
		expect(isContinuedBy(taken, newestRequest(session))).toBe(true);
		await session.restart();
		expect(await compact()).toContain('Context reduced from');
		await session.turn([]);
		expect(newestRequest(session).request.tokens).toBeLessThan(taken.request.tokens);
	});

	it('the plugin can be turned off for one session, also in a new process, and on again', {
		timeout,
	}, async () => {
		const session = await begin();
		for (let turn = 0; turn < 3; turn++) await session.turn([small]);
		const whole = newestRequest(session);
		expect(await session.running().command('contextd-compact', '')).toContain('Context reduced from');
		await session.turn([]);
		const compacted = newestRequest(session);
		expect(await session.running().command('contextd', 'off')).toContain('Turn it on: /contextd on');
		await session.turn([]);
		expect(isContinuedBy(whole, newestRequest(session))).toBe(true);
		await session.restart();
		await session.turn([]);
		expect(isContinuedBy(whole, newestRequest(session))).toBe(true);
		expect(await session.running().command('contextd', '')).toContain('contextd is off in this session');
		expect(await session.running().command('contextd', 'on')).toContain('contextd is on in this session');
		await session.turn([]);
		expect(isContinuedBy(compacted, newestRequest(session))).toBe(true);
	});

	it('the plugin keeps pinned messages, and the model can look up what was left out', {
		timeout,
	}, async () => {
		const session = await begin();
		await session.promptWith(`${words}, and opens at five. ${'The tide is low. '.repeat(400)}`, [
			{ text: 'I see.' },
		]);
		await session.turn([6000]);
		expect(await session.running().command('contextd-pin', words)).toContain('Pinned');
		for (let turn = 0; turn < 3; turn++) await session.turn([small]);
		expect(await session.running().command('contextd-compact', '')).toContain('Context reduced from');
		const recall = { name: 'contextd_recall', args: { query: 'document 1 holds' } };
		const stats = { name: 'contextd_stats', args: {} };
		await session.promptWith('What was in it?', [{ calls: [recall] }, { calls: [stats] }, { text: 'That.' }]);
		const asked = textOf(newestRequest(session));
		expect(asked).toContain(`${words}, and opens at five. The tide is low.`);
		expect(asked).toContain('messages; contextd_recall with an id gives the whole');
		expect(asked).toMatch(/of [\d,]+ tokens \(<?\d+%\)/);
	});
});
