import { describe, expect, it } from 'vitest';
import { contextCompact, contextUndo } from '../../../server/protocol/compact.ts';
import { contextRecall } from '../../../server/protocol/history.ts';
import { sessionRewind } from '../../../server/protocol/session.ts';
import { sharedApp } from '../../support/app.ts';
import { answer, logLines, toolSession, user } from '../../support/messages.ts';
import { sessionMaker } from '../../support/talk.ts';

const app = sharedApp();

const withMessages = sessionMaker(app, 'recall');
const recall = (sessionId: string, query: string, limit?: number) =>
	app.ask(contextRecall, { sessionId, query, ...(limit !== undefined && { limit }) });

describe('context/recall', () => {
	it('context/recall finds words in messages, calls and results, with role and tool', async () => {
		const id = await withMessages([
			...toolSession(6),
			user('q', 'Is the quarterly report done?', { timestamp: 9 }),
		]);
		const { matches, total } = await recall(id, 'quarterly');
		expect(total).toBe(1);
		expect(matches).toEqual([
			{ messageId: 'q', role: 'user', at: 9, excerpt: 'Is the quarterly report done?', visible: true },
		]);
		expect((await recall(id, 'test part3')).matches[0]).toMatchObject({ messageId: 'c3', role: 'assistant' });
		expect((await recall(id, 'module42', 100)).matches.every(({ toolName }) => toolName === 'run')).toBe(
			true,
		);
	});

	it('context/recall finds what a compaction hides, and names the compaction', async () => {
		const fact = answer('fact', 'The staging password rotates on Thursdays.');
		const messages = toolSession(40);
		const id = await withMessages([...messages.slice(0, 4), fact, ...messages.slice(4)]);
		const compacted = await app.ask(contextCompact, { sessionId: id, targetTokens: 2_000 });
		const [match] = (await recall(id, 'staging password')).matches;
		expect(match).toMatchObject({
			messageId: 'fact',
			visible: false,
			hiddenBy: compacted?.compactionId,
			hiddenCause: 'compaction',
			excerpt: expect.stringContaining('Thursdays'),
		});
		await app.ask(contextUndo, { sessionId: id });
		const [again] = (await recall(id, 'staging password')).matches;
		expect(again).toMatchObject({ messageId: 'fact', visible: true });
		expect(again).not.toHaveProperty('hiddenBy');
	});

	it('context/recall searches the whole text of a large message', async () => {
		const id = await withMessages([user('u', 'go'), user('paste', logLines(900)), ...toolSession(3)]);
		const { matches } = await recall(id, 'line 450 of run 0');
		expect(matches[0]).toMatchObject({ messageId: 'paste', excerpt: expect.stringContaining('line 450') });
	});

	it('context/recall finds messages that a rewind removed', async () => {
		const id = await withMessages([user('u', 'go'), answer('a', 'yes'), user('v', 'the zebra crossing')]);
		await app.ask(sessionRewind, { sessionId: id, messageId: 'a' });
		const [match] = (await recall(id, 'zebra')).matches;
		expect(match).toMatchObject({
			messageId: 'v',
			visible: false,
			hiddenBy: expect.any(String),
			hiddenCause: 'rewind',
		});
	});

	it('context/recall says which messages are visible only in a shortened form', async () => {
		const id = await withMessages(toolSession(40));
		await app.ask(contextCompact, {
			sessionId: id,
			targetTokens: 3_000,
			config: {
				enableSummarize: false,
				enableTruncate: false,
				pruneProtectTokens: 0,
				pruneMinimumSavings: 0,
			},
		});
		const [match] = (await recall(id, 'line 0 of run 0')).matches;
		expect(match).toMatchObject({ role: 'tool', visible: true, shortened: true });
		expect(match).not.toHaveProperty('hiddenBy');
	});

	it('context/recall names the file that the call of a result read, and none if it read several', async () => {
		const read = (callId: string, args: object) => ({ id: callId, name: 'Read', args });
		const id = await withMessages([
			user('u', 'go'),
			{
				id: 'a',
				role: 'assistant',
				content: '',
				toolCalls: [
					read('c1', { file_path: '/w/src/main.go' }),
					{ id: 'c2', name: 'Bash', args: { command: 'cat src/a.go src/b.go' } },
				],
			},
			{ id: 't1', role: 'tool', toolCallId: 'c1', toolName: 'Read', content: 'package zebra' },
			{ id: 't2', role: 'tool', toolCallId: 'c2', toolName: 'Bash', content: 'package yak' },
		]);
		expect((await recall(id, 'zebra')).matches[0]).toMatchObject({ messageId: 't1', path: '/w/src/main.go' });
		expect((await recall(id, 'yak')).matches[0]).not.toHaveProperty('path');
	});

	it('context/recall says how many messages it searched, also if it finds none', async () => {
		const id = await withMessages([user('u', 'go'), answer('a', 'yes')]);
		expect(await recall(id, 'zebra')).toEqual({ matches: [], total: 0, searched: 2 });
	});

	it('context/recall returns at most the requested number, and the total', async () => {
		const id = await withMessages(toolSession(30));
		const { matches, total } = await recall(id, 'part', 3);
		expect(matches).toHaveLength(3);
		expect(total).toBeGreaterThan(30);
		expect((await recall(id, '   ')).total).toBe(0);
	});

	it('context/recall refuses an empty query and a limit of 0', async () => {
		const id = await withMessages([user('u', 'go')]);
		expect((await app.refusal('context/recall', { sessionId: id, query: '' })).message).toContain(
			'params.query',
		);
		const { code } = await app.refusal('context/recall', { sessionId: id, query: 'x', limit: 0 });
		expect(code).toBe(-32602);
		expect((await app.refusal('context/recall', { sessionId: 'nobody', query: 'x' })).code).toBe(-31999);
	});
});
