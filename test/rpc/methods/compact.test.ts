import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextUndo } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextPin } from '../../../server/protocol/history.ts';
import { sessionAppend } from '../../../server/protocol/session.ts';
import { type App, startTestApp } from '../../support/app.ts';
import { userSays } from '../../support/messages.ts';
import { conversation, historyIn, sessionMaker, statsIn } from '../../support/talk.ts';
import { compactIn, withoutStepIds, work } from './work.ts';

let app: App;

beforeAll(async () => {
	app = await startTestApp();
});

afterAll(() => app.stop());

const withMessages = sessionMaker(() => app, 'compact');

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

describe('context/compact', () => {
	it('says which of the messages to preserve are hidden already, in a dry run too', async () => {
		const id = await withMessages(work(12));
		await compactIn(app, id, { targetTokens: 12_000, config: { enablePrune: false } });
		await app.ask(sessionAppend, { sessionId: id, messages: conversation(60) });
		const again = { targetTokens: 2000, preserve: ['a1'], config: { enablePrune: false } };
		for (const dryRun of [true, false]) {
			const { compacted, messages, warnings } = await compactIn(app, id, { ...again, dryRun });
			expect(compacted).toBe(true);
			expect(messages?.length).toBeGreaterThan(0);
			expect(warnings).toEqual([expect.stringContaining('"a1" is hidden already')]);
		}
	});

	it('tells what it would do in a dry run, and does it afterwards', async () => {
		const id = await withMessages(work(20));
		const before = await historyIn(app, id);
		const { compactionId: none, messages: foreseen, ...dry } = await compactIn(app, id, { dryRun: true });
		expect(none).toBeUndefined();
		expect(await historyIn(app, id)).toEqual(before);
		const { compactionId, messages, ...done } = await compactIn(app, id);
		expect(compactionId).toEqual(expect.any(String));
		expect({ ...done, summary: undefined }).toEqual({ ...dry, summary: undefined });
		expect(await historyIn(app, id)).toEqual(messages);
		expect(withoutStepIds(messages)).toEqual(withoutStepIds(foreseen));
	});

	it('gives the history as it then stands, unless it is not asked for', async () => {
		const id = await withMessages(work(20));
		expect(await compactIn(app, id, { includeMessages: false })).not.toHaveProperty('messages');
	});

	it('counts both ends on one scale, the one of stats', async () => {
		const id = await withMessages(work(20));
		const before = await statsIn(app, id);
		const { tokensBefore, tokensAfter, tokensSaved, removed } = await compactIn(app, id);
		expect(tokensBefore).toBe(before.breakdown.conversationHistory);
		expect((await statsIn(app, id)).breakdown.conversationHistory).toBe(tokensAfter);
		expect(tokensSaved).toBe(tokensBefore - tokensAfter);
		expect(tokensSaved).toBeGreaterThan(0);
		expect(removed.length).toBeGreaterThan(0);
	});

	it('keeps system, task, newest and pins word for word, and calls beside their results', async () => {
		const id = await withMessages(work(30));
		await app.ask(contextPin, { sessionId: id, messageIds: ['r3'], pinned: true });
		const { messages = [] } = await compactIn(app, id, { targetTokens: 10 });
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
		const result = await compactIn(app, id, more);
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
		const [one, two] = await Promise.all([compactIn(app, id), compactIn(app, id)]);
		expect(two.compactionId).toBe(one.compactionId);
		const other = await withMessages(work(30));
		const [first, second] = await Promise.all([
			compactIn(app, other),
			compactIn(app, other, { includeMessages: false, config: { recentCount: 4 } }),
		]);
		expect([first.compacted, second.reasonCode]).toEqual([true, 'just_compacted']);
	});

	it('cancelled by one of two that asked goes on for the other', async () => {
		const id = await withMessages(conversation(600, 60));
		const cancelled = app.start('context/compact', { sessionId: id });
		const other = compactIn(app, id);
		app.cancel(cancelled.id);
		expect((await cancelled.reply).error?.code).toBe(-32800);
		expect((await other).compacted).toBe(true);
	});

	it('keeps what is appended while it runs, after it', async () => {
		const id = await withMessages(work(40));
		const compacting = compactIn(app, id);
		const late = Array.from({ length: 5 }, (_, index) => userSays(`late ${index}`, { id: `late${index}` }));
		await app.ask(sessionAppend, { sessionId: id, messages: late });
		expect((await compacting).compacted).toBe(true);
		expect((await historyIn(app, id)).slice(-5)).toEqual(late);
		await app.ask(contextUndo, { sessionId: id });
		expect(await historyIn(app, id)).toEqual([...work(40), ...late]);
	});

	it('has nothing to do again at once, and something after more was said', async () => {
		const id = await withMessages(work(30));
		await compactIn(app, id);
		expect(await compactIn(app, id)).toMatchObject({
			outcome: 'nothing_to_compact',
			reasonCode: 'just_compacted',
		});
		await app.ask(sessionAppend, { sessionId: id, messages: conversation(10, 200) });
		expect((await compactIn(app, id)).compacted).toBe(true);
	});
});
