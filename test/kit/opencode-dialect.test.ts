import { describe, expect, it } from 'vitest';
import { openCodeDialect as dialect, withoutClearedMarks } from '../../client-opencode/dialect.ts';
import type { OpenCodeMessage, OpenCodePart } from '../../client-opencode/host.ts';
import { computeChainIds } from '../../kit/fingerprint.ts';
import { applyView, createEmptyView, withDecision } from '../../kit/heldView.ts';

const info = (role: 'user' | 'assistant', more: object = {}) => ({
	id: `msg_${role}`,
	sessionID: 'ses_1',
	role,
	agent: 'build',
	model: { providerID: 'mock', modelID: 'mock-1' },
	...more,
});
const text = (words: string, more: object = {}): OpenCodePart => ({
	id: 'prt',
	type: 'text',
	text: words,
	...more,
});
const user = (...parts: OpenCodePart[]): OpenCodeMessage => ({ info: info('user'), parts });
const tool = (callID: string, state: object): OpenCodePart => ({
	id: `prt_${callID}`,
	type: 'tool',
	callID,
	tool: 'bash',
	state: { status: 'completed', input: { command: 'ls' }, output: 'a\nb', ...state },
});
const answer = (parts: OpenCodePart[], more: object = {}): OpenCodeMessage => ({
	info: info('assistant', more),
	parts: [{ id: 'prt_s', type: 'step-start' }, ...parts],
});
const essence = (message: OpenCodeMessage) => JSON.stringify(dialect.getEssence(message));

describe("OpenCode's messages", () => {
	it('an OpenCode answer becomes an answer with calls, one message per result, and usage', () => {
		const tokens = { input: 10, output: 4, reasoning: 1, cache: { read: 90, write: 0 } };
		const message = answer([text('Looking.'), tool('c1', {}), tool('c2', { metadata: { exit: 1 } })], {
			tokens,
		});
		expect(dialect.toNeutral(message)).toEqual([
			{
				role: 'assistant',
				content: 'Looking.',
				toolCalls: [
					{ id: 'c1', name: 'bash', args: { command: 'ls' } },
					{ id: 'c2', name: 'bash', args: { command: 'ls' } },
				],
				usage: { input: 10, output: 5, cacheRead: 90, cacheWrite: 0 },
			},
			{ role: 'tool', content: 'a\nb', toolCallId: 'c1', toolName: 'bash' },
			{ role: 'tool', content: 'a\nb', toolCallId: 'c2', toolName: 'bash', isError: true },
		]);
	});

	it('messages that OpenCode does not send become no messages', () => {
		expect(dialect.toNeutral(user(text('shown alone', { ignored: true })))).toEqual([]);
		expect(dialect.toNeutral(answer([text('half')], { error: { name: 'APIError' } }))).toEqual([]);
		expect(
			dialect.toNeutral(answer([text('half')], { error: { name: 'MessageAbortedError' } })),
		).toHaveLength(1);
	});

	it("OpenCode's additions to one request do not change the essence of a message", () => {
		const plain = user(text('Do it.'));
		const wrapped =
			'<system-reminder>\nThe user sent the following message:\nDo it.\n\nPlease address this message and continue with your tasks.\n</system-reminder>';
		expect(essence(user(text(wrapped), text('You are in plan mode', { synthetic: true })))).toBe(
			essence(plain),
		);
		expect(essence(answer([tool('c1', { output: '' })]))).toBe(essence(answer([tool('c1', {})])));
		expect(essence(user(text('Do that.')))).not.toBe(essence(plain));
	});

	it('a result that OpenCode marked as cleared is sent whole', () => {
		const cleared = answer([tool('c1', { time: { start: 1, end: 2, compacted: 3 } })]);
		expect(withoutClearedMarks(cleared).parts[1]?.state?.time).toEqual({ start: 1, end: 2 });
		expect(withoutClearedMarks(user(text('a')))).toEqual(user(text('a')));
	});

	it('a shortened OpenCode result gives the daemon its whole text, with the tokens of the short one', () => {
		const whole = 'line of words\n'.repeat(200);
		const cut = answer([tool('c1', { metadata: { exit: 0, contextd: { whole, source: 'read a' } } })]);
		expect(dialect.toNeutral(cut)[1]).toMatchObject({
			role: 'tool',
			content: whole,
			tokens: 2,
			hasEstimatedTokens: true,
		});
		expect(dialect.listResults(cut)).toEqual([
			{ callId: 'c1', text: 'a\nb', isShortened: true, source: 'read a' },
		]);
		expect(dialect.withoutUnsent?.(cut)).toEqual(answer([tool('c1', {})]));
	});

	it('an interrupted OpenCode call keeps its partial output', () => {
		const metadata = { interrupted: true, output: 'half of it' };
		const broken = answer([tool('c1', { status: 'error', output: undefined, error: 'Aborted', metadata })]);
		expect(dialect.toNeutral(broken)[1]).toMatchObject({ content: 'half of it', isError: true });
		const [, shown] = dialect.withResults(broken, new Map([['c1', 'half']])).parts;
		expect(shown?.state).toMatchObject({ error: 'Aborted', metadata: { interrupted: true, output: 'half' } });
	});

	it('a decision rewrites OpenCode messages with calls and results together', () => {
		const raw = [
			user(text('Go.')),
			answer([text('Long words.'), tool('c1', { output: 'long output' })]),
			user(text('And?')),
		];
		const ids = computeChainIds(dialect, raw);
		const told = raw.flatMap((message, index) =>
			dialect
				.toNeutral(message)
				.map((part, no) => ({ ...part, id: no === 0 ? ids[index] : `${ids[index]}.${no}` })),
		);
		const messages = told.map((part) =>
			part.role === 'tool' ? { ...part, content: 'short', metadata: { truncated: true } } : part,
		);
		const summary = {
			id: 's',
			role: 'user' as const,
			content: 'What happened.',
			metadata: { isSummary: true },
		};
		const view = { compactionId: 'c', tokensSaved: 1, messages: [summary, ...messages] };
		const held = withDecision(createEmptyView<OpenCodeMessage>(), view, { hostMessages: raw, ids }, dialect);
		const [made, ...shown] = applyView(held, raw, dialect, ids).messages;
		expect(made?.info).toMatchObject({ role: 'user', sessionID: 'ses_1', agent: 'build' });
		expect(made?.parts[0]).toMatchObject({ type: 'text', text: 'What happened.' });
		expect(shown).toEqual([raw[0], answer([text('Long words.'), tool('c1', { output: 'short' })]), raw[2]]);
	});

	it('a note is added to the newest part of an OpenCode message', () => {
		expect(dialect.withNote(user(text('a')), 'line').parts.at(-1)).toMatchObject({
			type: 'text',
			text: 'line',
		});
		expect(dialect.withNote(answer([tool('c1', {})]), 'line').parts.at(-1)?.state?.output).toBe(
			'a\nb\n\nline',
		);
	});
});
