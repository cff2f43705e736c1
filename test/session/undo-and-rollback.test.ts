import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { appendMessages } from '../../server/session/append.ts';
import { prepareHistory } from '../../server/session/compaction/prepare.ts';
import { renderFullHistory } from '../../server/session/history.ts';
import { readOriginalMessage } from '../../server/session/original.ts';
import {
	createCheckpoint,
	listCheckpoints,
	rewindSession,
	rollbackSession,
	undoStep,
} from '../../server/session/steps.ts';
import { answer, logLines, prose, toolSession, user } from '../support/messages.ts';
import { compactNow, historyOf, previewNow, sessionWith, testWorld, unwatched } from '../support/world.ts';

async function compactedTwice() {
	const test = testWorld();
	const session = await sessionWith(test, toolSession(30));
	const before = await historyOf(session);
	const first = await compactNow(session, { targetTokens: 4000 });
	const later = [answer('later', prose(900)), user('last', 'go on')];
	await appendMessages(session, later, 'contextd', { client: session.client });
	const second = await compactNow(session, { targetTokens: 2000 });
	return { test, session, before, later, first: first.compactionId ?? '', second: second.compactionId ?? '' };
}

describe('undo', () => {
	it('undo reverts the newest compaction first, and restores the original history at last', async () => {
		const { session, before, later, first, second } = await compactedTwice();
		expect(await undoStep(session, session.client)).toEqual([second]);
		expect(await undoStep(session, session.client)).toEqual([first]);
		expect(await historyOf(session)).toEqual([...before, ...later]);
		await expect(undoStep(session, session.client)).rejects.toMatchObject({ kind: 'CompactionNotFound' });
	});

	it('undo of an older compaction also reverts those that built on it, after a restart too', async () => {
		const { test, before, later, first, second } = await compactedTwice();
		const store = await test.restart();
		await store.run('s', test.client, async (session) => {
			expect(await undoStep(session, session.client, first)).toEqual([second, first]);
			expect(await historyOf(session)).toEqual([...before, ...later]);
		});
	});

	it('undo holds automatic compaction back until an overflow threatens', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(20), { contextWindow: 40_000 });
		const { tokensBefore } = await previewNow(session);
		const window = Math.ceil(tokensBefore / 0.65 / 0.85);
		session.state.info.contextWindow = window;
		await undoStep(session, session.client, (await compactNow(session)).compactionId);
		const held = await prepareHistory(session, { format: 'contextd' }, unwatched(session));
		expect(held.compaction).toBeNull();
		session.state.info.contextWindow = Math.ceil(window * 0.88);
		const threatened = await prepareHistory(session, { format: 'contextd' }, unwatched(session));
		expect(threatened.compaction?.compacted).toBe(true);
	});
});

describe('full history', () => {
	it('the full history has every message once, with tags that name the group that hides it', async () => {
		const { session, first, second } = await compactedTwice();
		const all = (await renderFullHistory(session)).messages as ChatMessage[];
		const ids = all.map((one) => one.id);
		expect(new Set(ids).size).toBe(ids.length);
		for (const { id } of toolSession(30)) expect(ids).toContain(id);
		const tagged = new Map(all.map((one) => [one.id, one]));
		expect(tagged.get('r0')?.condenseParent).toBe(first);
		expect(tagged.get(`summary-${first}`)).toMatchObject({ condenseId: first, condenseParent: second });
		expect(tagged.get(`summary-${second}`)?.condenseParent).toBeUndefined();
	});

	it('context/original returns the content of every hidden message, and searches in a summary', async () => {
		const { session, second } = await compactedTwice();
		expect((await readOriginalMessage(session, { messageId: 'r0' })).content).toBe(logLines(40, 0));
		const behind = await readOriginalMessage(session, { messageId: `summary-${second}`, search: 'of run 7' });
		expect(behind.matches?.length).toBeGreaterThan(0);
	});
});

describe('checkpoints', () => {
	it('checkpoints are limited to five, and the least recently used is dropped', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(3));
		const ids: string[] = [];
		const mark = async () => {
			await appendMessages(session, [user(`x${ids.length}`, 'more')], 'contextd', { client: session.client });
			ids.push(await createCheckpoint(session, session.client));
		};
		for (let index = 0; index < 5; index++) await mark();
		await rollbackSession(session, ids[0] ?? '');
		await undoStep(session, session.client);
		await mark();
		expect(listCheckpoints(session.state).map((one) => one.checkpointId)).toEqual(
			[0, 2, 3, 4, 5].map((index) => ids[index]),
		);
	});

	it('rollback restores the history of a checkpoint and drops newer checkpoints, and undo reverts both', async () => {
		const test = testWorld();
		const reasoning: ChatMessage = answer('think', [{ type: 'reasoning', text: 'hm', signature: 'signed' }], {
			toolCalls: [{ id: 't', name: 'run', args: undefined }],
		});
		const session = await sessionWith(test, [...toolSession(20), reasoning]);
		const then = await historyOf(session);
		const id = await createCheckpoint(session, session.client, 'before');
		await compactNow(session, { targetTokens: 2000 });
		await appendMessages(session, [user('after', 'more')], 'contextd', { client: session.client });
		const newer = await createCheckpoint(session, session.client);
		const now = await historyOf(session);
		expect(await rollbackSession(session, id)).toEqual(['after']);
		expect(await historyOf(session)).toEqual(then);
		expect(listCheckpoints(session.state).map((one) => one.checkpointId)).toEqual([id]);
		await undoStep(session, session.client);
		expect(await historyOf(session)).toEqual(now);
		expect(listCheckpoints(session.state).map((one) => one.checkpointId)).toEqual([id, newer]);
	});

	it.each(['../x', '', '__proto__', 'x'.repeat(10_000)])(
		'rollback finds no checkpoint with the odd id %j',
		async (id) => {
			const session = await sessionWith(testWorld(), toolSession(1));
			await expect(rollbackSession(session, id)).rejects.toMatchObject({ kind: 'CheckpointNotFound' });
		},
	);
});

describe('rewind', () => {
	it('rewind removes the messages after a whole batch, and undo restores them', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(5));
		const before = await historyOf(session);
		const hidden = await rewindSession(session, 'c2');
		expect(hidden[0]).toBe('a2');
		expect((await historyOf(session)).at(-1)?.id).toBe('r2');
		await undoStep(session, session.client);
		expect(await historyOf(session)).toEqual(before);
	});

	it('rewind to no message hides all of them, and undo restores them', async () => {
		const session = await sessionWith(testWorld(), toolSession(30));
		await compactNow(session, { targetTokens: 3000 });
		const before = await historyOf(session);
		await rewindSession(session, '');
		expect(await historyOf(session)).toEqual([]);
		await undoStep(session, session.client);
		expect(await historyOf(session)).toEqual(before);
	});

	it('rewind to the newest message hides nothing', async () => {
		const session = await sessionWith(testWorld(), toolSession(2));
		expect(await rewindSession(session, 'un')).toEqual([]);
	});

	it('rewind to a hidden message reverts the compaction that hides it', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(30));
		await compactNow(session, { targetTokens: 3000 });
		await rewindSession(session, 'a1');
		expect((await historyOf(session)).map((one) => one.id)).toEqual([
			'u0',
			'c0',
			'r0',
			'a0',
			'c1',
			'r1',
			'a1',
		]);
	});
});

describe('previews', () => {
	it('a preview reports exactly what the compaction then does', async () => {
		const test = testWorld();
		const session = await sessionWith(test, toolSession(30));
		const {
			compactionId: _,
			summary: __,
			after,
			...preview
		} = await previewNow(session, { targetTokens: 3000 });
		const { compactionId, summary: ___, ...run } = await compactNow(session, { targetTokens: 3000 });
		expect(run).toEqual(preview);
		const text = (history: unknown) => JSON.stringify(history).replaceAll(/summary-id-\d+/g, 'summary');
		expect(text(await historyOf(session))).toBe(text(after));
		expect(compactionId).toBeTruthy();
		expect(run.stablePrefixMessages).toBe(1);
		expect(run.cache.rewrittenTokens).toBeGreaterThan(0);
		expect(test.compacted).toHaveLength(1);
		const saved = run.removed.reduce((sum, one) => sum + one.tokens, 0);
		expect(saved).toBeGreaterThanOrEqual(run.tokensSaved);
	});
});
