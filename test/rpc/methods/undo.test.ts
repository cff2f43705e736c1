import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextPrepare, contextUndo } from '../../../server/protocol/compact.ts';
import { sessionAppend } from '../../../server/protocol/session.ts';
import { type App, startTestApp } from '../../support/app.ts';
import { conversation, historyIn, sessionMaker, statsIn } from '../../support/talk.ts';
import { compactIn, work } from './work.ts';

let app: App;

beforeAll(async () => {
	app = await startTestApp();
});

afterAll(() => app.stop());

const withMessages = sessionMaker(() => app, 'undo');

describe('context/undo', () => {
	it('takes any number of compactions back, newest first, to the very history', async () => {
		const id = await withMessages(work(20));
		const histories: unknown[][] = [];
		for (let round = 0; round < 4; round++) {
			histories.push(await historyIn(app, id));
			await compactIn(app, id);
			if (round < 3) await app.ask(sessionAppend, { sessionId: id, messages: conversation(8, 150) });
		}
		for (let round = 3; round >= 0; round--) {
			const { undone } = await app.ask(contextUndo, { sessionId: id });
			expect(undone.length).toBeGreaterThan(0);
			const history = await historyIn(app, id);
			expect(history.slice(0, histories[round]?.length)).toEqual(histories[round]);
		}
		expect((await app.refusal('context/undo', { sessionId: id })).code).toBe(-31996);
		const all = [...work(20), ...conversation(8, 150), ...conversation(8, 150), ...conversation(8, 150)];
		expect(await historyIn(app, id)).toEqual(all);
	});

	it('of an old compaction takes what was built on it along', async () => {
		const id = await withMessages(work(20));
		const first = await compactIn(app, id);
		await app.ask(sessionAppend, { sessionId: id, messages: conversation(8, 150) });
		const second = await compactIn(app, id);
		const { undone } = await app.ask(contextUndo, { sessionId: id, compactionId: first.compactionId });
		expect(undone).toEqual([second.compactionId, first.compactionId]);
		expect(await historyIn(app, id)).toEqual([...work(20), ...conversation(8, 150)]);
		expect(
			(await app.refusal('context/undo', { sessionId: id, compactionId: first.compactionId })).code,
		).toBe(-31996);
	});

	it('holds automatic compaction off until overflow threatens', async () => {
		const id = await withMessages(work(12), { contextWindow: 40_000 });
		const { estimatedInputTokens } = await statsIn(app, id);
		const share = (ratio: number) => ({
			contextWindow: Math.round(estimatedInputTokens / ratio) + 1000,
			maxOutputTokens: 1000,
		});
		await app.start('session/update', { sessionId: id, ...share(0.85) }).reply;
		expect((await app.ask(contextPrepare, { sessionId: id })).compaction?.compacted).toBe(true);
		await app.ask(contextUndo, { sessionId: id });
		expect((await statsIn(app, id)).shouldCompact).toBe(true);
		expect((await app.ask(contextPrepare, { sessionId: id })).compaction).toBeNull();
		await app.start('session/update', { sessionId: id, ...share(0.97) }).reply;
		expect((await app.ask(contextPrepare, { sessionId: id })).compaction?.compacted).toBe(true);
	});
});
