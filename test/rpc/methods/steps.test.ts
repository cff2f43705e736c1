import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
	type CompactResult,
	contextCompact,
	contextPrepare,
	contextUndo,
} from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import {
	contextCheckpoint,
	contextCheckpoints,
	contextHistory,
	contextOriginal,
	contextPin,
	contextRollback,
} from '../../../server/protocol/history.ts';
import { sessionAppend, sessionRewind } from '../../../server/protocol/session.ts';
import { type App, startTestApp } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';
import { conversation, historyIn, sessionMaker, statsIn } from '../../support/talk.ts';

let app: App;

beforeAll(async () => {
	app = await startTestApp();
});

afterAll(() => app.stop());

const withMessages = sessionMaker(() => app, 'steps');

async function compact(
	sessionId: string,
	more: Record<string, unknown> = {},
): Promise<CompactResult & { messages?: ChatMessage[] }> {
	const result = await app.ask(contextCompact, { sessionId, ...more });
	if (!result) throw new Error('the session has no messages');
	return result as CompactResult & { messages?: ChatMessage[] };
}

/** An agent's work: a task, then rounds of a call and its result. */
function work(rounds: number): ChatMessage[] {
	const round = (index: number): ChatMessage[] => [
		assistantSays(`I look at file ${index}.`, {
			id: `a${index}`,
			toolCalls: [{ id: `c${index}`, name: 'read', args: { path: `/src/f${index}.ts` } }],
		}),
		{
			id: `r${index}`,
			role: 'tool',
			toolCallId: `c${index}`,
			toolName: 'read',
			content: `export const n${index} = ${index};\n`.repeat(150),
		},
	];
	return [
		{ id: 's', role: 'system', content: 'You are careful.' },
		userSays('Please mend the login in src/login.ts', { id: 'task' }),
		...Array.from({ length: rounds }, (_, index) => round(index)).flat(),
		userSays('And now?', { id: 'newest' }),
	];
}

function expectPairs(messages: readonly ChatMessage[]): void {
	const open = new Set<string>();
	for (const message of messages) {
		if (message.role === 'tool') {
			expect(open.delete(message.toolCallId ?? '')).toBe(true);
			continue;
		}
		expect([...open]).toEqual([]);
		for (const call of message.toolCalls ?? []) open.add(call.id);
	}
	expect([...open]).toEqual([]);
}

/** What a step makes is named after the step, which every try gets anew. */
const withoutStepIds = (messages: unknown) =>
	JSON.stringify(messages).replaceAll(/(summary|truncation-marker)-[0-9a-f-]{36}/g, '$1');

describe('context/compact', () => {
	it('says which of the messages to preserve are hidden already, in a dry run too', async () => {
		const id = await withMessages(work(12));
		await compact(id, { targetTokens: 12_000, config: { enablePrune: false } });
		await app.ask(sessionAppend, { sessionId: id, messages: conversation(60) });
		const again = { targetTokens: 2000, preserve: ['a1'], config: { enablePrune: false } };
		for (const dryRun of [true, false]) {
			const { compacted, messages, warnings } = await compact(id, { ...again, dryRun });
			expect(compacted).toBe(true);
			expect(messages?.length).toBeGreaterThan(0);
			expect(warnings).toEqual([expect.stringContaining('"a1" is hidden already')]);
		}
	});

	it('tells what it would do in a dry run, and does it afterwards', async () => {
		const id = await withMessages(work(20));
		const before = await historyIn(app, id);
		const { compactionId: none, messages: foreseen, ...dry } = await compact(id, { dryRun: true });
		expect(none).toBeUndefined();
		expect(await historyIn(app, id)).toEqual(before);
		const { compactionId, messages, ...done } = await compact(id);
		expect(compactionId).toEqual(expect.any(String));
		expect({ ...done, summary: undefined }).toEqual({ ...dry, summary: undefined });
		expect(await historyIn(app, id)).toEqual(messages);
		expect(withoutStepIds(messages)).toEqual(withoutStepIds(foreseen));
	});

	it('gives the history as it then stands, unless it is not asked for', async () => {
		const id = await withMessages(work(20));
		expect(await compact(id, { includeMessages: false })).not.toHaveProperty('messages');
	});

	it('counts both ends on one scale, the one of stats', async () => {
		const id = await withMessages(work(20));
		const before = await statsIn(app, id);
		const { tokensBefore, tokensAfter, tokensSaved, removed } = await compact(id);
		expect(tokensBefore).toBe(before.breakdown.conversationHistory);
		expect((await statsIn(app, id)).breakdown.conversationHistory).toBe(tokensAfter);
		expect(tokensSaved).toBe(tokensBefore - tokensAfter);
		expect(tokensSaved).toBeGreaterThan(0);
		expect(removed.length).toBeGreaterThan(0);
	});

	it('keeps system, task, newest and pins word for word, and calls beside their results', async () => {
		const id = await withMessages(work(30));
		await app.ask(contextPin, { sessionId: id, messageIds: ['r3'], pinned: true });
		const { messages = [] } = await compact(id, { targetTokens: 10 });
		for (const kept of ['s', 'task', 'newest', 'r3']) {
			expect(messages).toContainEqual(work(30).find((message) => message.id === kept));
		}
		expectPairs(messages);
	});

	it.each([
		['a session of two messages', conversation(2), {}, 'too_few_messages'],
		['a target that is met', conversation(6), { targetTokens: 1_000_000 }, 'below_target'],
		[
			'every stage disabled',
			conversation(8, 200),
			{
				config: {
					enablePrune: false,
					enableDeduplicate: false,
					enableSummarize: false,
					enableTruncate: false,
				},
			},
			'disabled',
		],
		[
			'nothing but protected messages',
			[
				{ role: 'system', content: 'x '.repeat(500) },
				{ role: 'system', content: 'y '.repeat(500) },
				userSays('a '.repeat(500)),
				userSays('b'),
			],
			{},
			'protected_only',
		],
	])('says why it did nothing: %s', async (_, messages, more, reasonCode) => {
		const id = await withMessages(messages);
		const before = await historyIn(app, id);
		const result = await compact(id, more);
		expect(result).toMatchObject({
			compacted: false,
			outcome: 'nothing_to_compact',
			reasonCode,
			tokensSaved: 0,
		});
		expect(result.reason).toMatch(/./);
		expect(await historyIn(app, id)).toEqual(before);
	});

	it('asked twice at once does it once', async () => {
		const id = await withMessages(work(30));
		const [one, two] = await Promise.all([compact(id), compact(id)]);
		expect(two.compactionId).toBe(one.compactionId);
		const other = await withMessages(work(30));
		const [first, second] = await Promise.all([
			compact(other),
			compact(other, { includeMessages: false, config: { recentCount: 4 } }),
		]);
		expect([first.compacted, second.reasonCode]).toEqual([true, 'just_compacted']);
	});

	it('cancelled by one of two that asked goes on for the other', async () => {
		const id = await withMessages(conversation(600, 60));
		const cancelled = app.start('context/compact', { sessionId: id });
		const other = compact(id);
		app.cancel(cancelled.id);
		expect((await cancelled.reply).error?.code).toBe(-32800);
		expect((await other).compacted).toBe(true);
	});

	it('keeps what is appended while it runs, after it', async () => {
		const id = await withMessages(work(40));
		const compacting = compact(id);
		const late = Array.from({ length: 5 }, (_, index) => userSays(`late ${index}`, { id: `late${index}` }));
		await app.ask(sessionAppend, { sessionId: id, messages: late });
		expect((await compacting).compacted).toBe(true);
		expect((await historyIn(app, id)).slice(-5)).toEqual(late);
		await app.ask(contextUndo, { sessionId: id });
		expect(await historyIn(app, id)).toEqual([...work(40), ...late]);
	});

	it('has nothing to do again at once, and something after more was said', async () => {
		const id = await withMessages(work(30));
		await compact(id);
		expect(await compact(id)).toMatchObject({ outcome: 'nothing_to_compact', reasonCode: 'just_compacted' });
		await app.ask(sessionAppend, { sessionId: id, messages: conversation(10, 200) });
		expect((await compact(id)).compacted).toBe(true);
	});
});

describe('context/undo', () => {
	it('takes any number of compactions back, newest first, to the very history', async () => {
		const id = await withMessages(work(20));
		const histories: unknown[][] = [];
		for (let round = 0; round < 4; round++) {
			histories.push(await historyIn(app, id));
			await compact(id);
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
		const first = await compact(id);
		await app.ask(sessionAppend, { sessionId: id, messages: conversation(8, 150) });
		const second = await compact(id);
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

describe('session/rewind', () => {
	it('hides what came after a message, and undo brings it back', async () => {
		const id = await withMessages(work(5));
		const { hidden, stats } = await app.ask(sessionRewind, { sessionId: id, messageId: 'r1' });
		expect(hidden).toEqual(['a2', 'r2', 'a3', 'r3', 'a4', 'r4', 'newest']);
		expect(stats?.messageCount).toBe(6);
		await app.ask(sessionAppend, { sessionId: id, messages: [userSays('another way', { id: 'other' })] });
		expect(((await historyIn(app, id)) as ChatMessage[]).map((message) => message.id)).toEqual([
			's',
			'task',
			'a0',
			'r0',
			'a1',
			'r1',
			'other',
		]);
		await app.ask(contextUndo, { sessionId: id });
		expect(await historyIn(app, id)).toEqual([...work(5), userSays('another way', { id: 'other' })]);
	});

	it('to no message hides all of them, compacted or not, and undo brings them back', async () => {
		const id = await withMessages(work(5));
		expect((await app.ask(sessionRewind, { sessionId: id, messageId: '' })).hidden).toHaveLength(13);
		expect(await historyIn(app, id)).toEqual([]);
		await app.ask(sessionAppend, { sessionId: id, messages: [userSays('anew', { id: 'other' })] });
		expect(await historyIn(app, id)).toEqual([userSays('anew', { id: 'other' })]);
		await app.ask(contextUndo, { sessionId: id });
		expect(await historyIn(app, id)).toEqual([...work(5), userSays('anew', { id: 'other' })]);
	});

	it('to the newest message hides nothing', async () => {
		const id = await withMessages(work(2));
		expect((await app.ask(sessionRewind, { sessionId: id, messageId: 'newest' })).hidden).toEqual([]);
	});
});

describe('checkpoints', () => {
	it('are kept to five; the least recently used goes first', async () => {
		const id = await withMessages(conversation(2));
		const ids: string[] = [];
		for (let index = 0; index < 5; index++) {
			ids.push((await app.ask(contextCheckpoint, { sessionId: id, label: `c${index}` })).checkpointId);
		}
		await app.ask(sessionAppend, { sessionId: id, messages: conversation(2) });
		await app.ask(contextRollback, { sessionId: id, checkpointId: ids[4] ?? '' });
		await app.ask(contextRollback, { sessionId: id, checkpointId: ids[4] ?? '' });
		const sixth = await app.ask(contextCheckpoint, { sessionId: id, label: 'c5' });
		const { checkpoints } = await app.ask(contextCheckpoints, { sessionId: id });
		expect(checkpoints.map(({ checkpointId }) => checkpointId)).toEqual([
			...ids.slice(1),
			sixth.checkpointId,
		]);
		expect(checkpoints.map(({ label }) => label)).toEqual(['c1', 'c2', 'c3', 'c4', 'c5']);
		expect((await app.refusal('context/rollback', { sessionId: id, checkpointId: ids[0] })).code).toBe(
			-31995,
		);
	});

	it('set one after the other without waiting are all kept', async () => {
		const id = await withMessages(conversation(2));
		const set = await Promise.all(
			Array.from({ length: 9 }, () => app.ask(contextCheckpoint, { sessionId: id })),
		);
		const { checkpoints } = await app.ask(contextCheckpoints, { sessionId: id });
		expect(checkpoints.map(({ checkpointId }) => checkpointId)).toEqual(
			set.slice(-5).map(({ checkpointId }) => checkpointId),
		);
	});

	it('give back the very history, beyond a compaction, and lose nothing', async () => {
		const thought = [{ type: 'reasoning' as const, text: 'hm', signature: 'sig' }];
		const messages = [...work(10), assistantSays('', { id: 'think', content: thought })];
		const id = await withMessages(messages);
		const before = await app.ask(contextHistory, { sessionId: id });
		const { checkpointId } = await app.ask(contextCheckpoint, { sessionId: id });
		await app.ask(sessionAppend, {
			sessionId: id,
			messages: conversation(6, 100),
		});
		await compact(id);
		const { discarded, stats } = await app.ask(contextRollback, { sessionId: id, checkpointId });
		expect(discarded.length).toBeGreaterThan(0);
		const after = await app.ask(contextHistory, { sessionId: id });
		expect(after.messages).toEqual(before.messages);
		expect(stats?.messageCount).toBe(messages.length);
		await app.ask(contextUndo, { sessionId: id });
		expect((await statsIn(app, id)).messageCount).not.toBe(messages.length);
	});

	it.each(['../x', '', '__proto__', 'x'.repeat(10_000)])(
		'of an odd name are not found: %j',
		async (checkpointId) => {
			const id = await withMessages(conversation(2));
			expect((await app.refusal('context/rollback', { sessionId: id, checkpointId })).code).toBe(-31995);
		},
	);
});

describe('context/original', () => {
	it('gives what a placeholder or a summary replaced, in portions and by search', async () => {
		const id = await withMessages(work(30));
		const { removed } = await compact(id);
		const gone = removed.find(({ messageId }) => messageId.startsWith('r'));
		const original = work(30).find((message) => message.id === gone?.messageId)?.content as string;
		const whole = await app.ask(contextOriginal, { sessionId: id, messageId: gone?.messageId ?? '' });
		expect(whole).toEqual({ content: original, totalChars: original.length, hasMore: false });
		const part = await app.ask(contextOriginal, {
			sessionId: id,
			messageId: gone?.messageId ?? '',
			offset: 10,
			limit: 20,
		});
		expect(part).toEqual({ content: original.slice(10, 30), totalChars: original.length, hasMore: true });
		const found = await app.ask(contextOriginal, {
			sessionId: id,
			messageId: gone?.messageId ?? '',
			search: 'export const',
			limit: 0,
		});
		expect(found.matches?.[1]).toMatchObject({ line: 2, text: original.split('\n')[1] });
	});

	it('beyond the end is empty', async () => {
		const id = await withMessages([userSays('short', { id: 'x' })]);
		expect(await app.ask(contextOriginal, { sessionId: id, messageId: 'x', offset: 1e9 })).toEqual({
			content: '',
			totalChars: 5,
			hasMore: false,
		});
	});
});

it('the history with what is hidden shows the original of a shortened message before it', async () => {
	const id = await withMessages(work(30));
	const only = {
		enableSummarize: false,
		enableTruncate: false,
		enableDeduplicate: false,
		pruneProtectTokens: 0,
	};
	await compact(id, { targetTokens: 500, config: { ...only, pruneMinimumSavings: 0 } });
	const { messages } = await app.ask(contextHistory, { sessionId: id, includeHidden: true });
	const all = messages as ChatMessage[];
	const shortened = all.filter((one) => one.metadata?.truncated);
	expect(shortened.length).toBeGreaterThan(0);
	for (const one of shortened) {
		const [original, shown] = all.filter((other) => other.id === one.id);
		expect(shown).toBe(one);
		expect(original?.content).toEqual(work(30).find((message) => message.id === one.id)?.content);
		expect(original?.condenseParent).toBe(one.condenseId);
	}
	const { messages: visible } = await app.ask(contextHistory, { sessionId: id });
	const untagged = all.filter((one) => one.condenseParent === undefined);
	expect(untagged.map((one) => one.content)).toEqual((visible as ChatMessage[]).map((one) => one.content));
});

it('the history with what is hidden tags it, and holds everything that was said', async () => {
	const id = await withMessages(work(30));
	await compact(id, { targetTokens: 500 });
	const { messages } = await app.ask(contextHistory, { sessionId: id, includeHidden: true });
	const all = messages as ChatMessage[];
	for (const message of work(30))
		expect(all.filter((one) => one.id === message.id).length).toBeGreaterThanOrEqual(1);
	const hidden = all.filter((one) => one.condenseParent !== undefined || one.truncationParent !== undefined);
	const made = new Set(all.flatMap((one) => [one.condenseId, one.truncationId]));
	expect(hidden.every((one) => made.has(one.condenseParent ?? one.truncationParent))).toBe(true);
});
