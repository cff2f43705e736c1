import { expect, it } from 'vitest';
import type { ChatMessage, FormatName } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { prepareHistory } from '../../../server/session/compaction/prepare.ts';
import { renderHistory } from '../../../server/session/history.ts';
import { openSession } from '../../../server/session/store/sessions.ts';
import { validateHistory } from '../../../server/session/store/validate.ts';
import { answer, call, result, user } from '../../support/messages.ts';
import { testClient, testWorld, unwatched } from '../../support/world.ts';

/** Returns the history of a session with these messages, and what was repaired. */
async function given(messages: readonly unknown[], format: FormatName = 'contextd') {
	const { store } = testWorld();
	await openSession(store, testClient, { sessionId: 's', provider: 'anthropic', model: 'claude-sonnet-4' });
	return store.run('s', testClient, async (session) => {
		await appendMessages(session, messages, format, { client: session.client });
		const prepared = await prepareHistory(session, { format }, unwatched(session));
		const { repairs } = await renderHistory(session, format);
		const { problems } = await validateHistory(store, testClient, { sessionId: 's', format });
		expect(problems).toEqual([]);
		return { history: prepared.messages as ChatMessage[], repairs };
	});
}

const sketch = (history: readonly ChatMessage[]): string[] =>
	history.map(({ role, toolCalls, toolCallId, metadata }) => {
		const ids = toolCalls?.map(({ id }) => id).join('+') ?? toolCallId ?? '';
		return `${role}${ids && ` ${ids}`}${metadata?.synthetic ? ' (made)' : ''}`;
	});

it('prepare moves a stray result behind its call, and adds a missing one', async () => {
	const { history, repairs } = await given([
		user('u1', 'Go.'),
		call('a', ['1', '2']),
		user('u2', 'Wait.'),
		result('r2', '2', 'x'),
	]);
	expect(sketch(history)).toEqual(['user', 'assistant 1+2', 'tool 1 (made)', 'tool 2', 'user']);
	expect(history[2]?.isError).toBe(true);
	expect(repairs).toEqual({ orphanedCallsFixed: 1, orphanedResultsFixed: 0 });
});

it('prepare adds a call directly before each result that has none', async () => {
	const { history, repairs } = await given([
		user('u1', 'Go.'),
		result('r1', 'x', 'one', { toolName: 'read' }),
		answer('a', 'Hm.'),
		result('r2', 'y', 'two'),
		user('u2', 'And?'),
		result('r3', 'z', 'three'),
	]);
	expect(sketch(history)).toEqual([
		...['user', 'assistant x (made)', 'tool x', 'assistant', 'assistant y (made)', 'tool y'],
		...['user', 'assistant z (made)', 'tool z'],
	]);
	expect(history[1]?.toolCalls?.[0]?.name).toBe('read');
	expect(repairs.orphanedResultsFixed).toBe(3);
});

it('prepare drops a result that came twice', async () => {
	const { history } = await given([
		user('u', 'Go.'),
		call('a', ['1']),
		result('r1', '1', 'x'),
		result('r2', '1', 'x'),
	]);
	expect(sketch(history)).toEqual(['user', 'assistant 1', 'tool 1']);
});

it('prepare keeps the text of an answer whose call has no result', async () => {
	const { history } = await given([
		user('u', 'Go.'),
		call('a', ['z'], 'run', {}, { content: 'I run it.' }),
		user('u2', 'Well?'),
	]);
	expect(sketch(history)).toEqual(['user', 'assistant z', 'tool z (made)', 'user']);
	expect(history[1]?.content).toBe('I run it.');
});

it.each(['error', 'aborted'])(
	'prepare leaves out an incomplete call of an answer that ended by "%s"',
	async (stopReason) => {
		const { history, repairs } = await given([
			user('u', 'Go.'),
			call('a', ['z'], 'run', '{"comm', { content: 'I run it.', stopReason }),
			user('u2', 'Well?'),
		]);
		expect(sketch(history)).toEqual(['user', 'assistant', 'user']);
		expect(repairs.orphanedCallsFixed).toBe(0);
	},
);

it('prepare merges consecutive answers for a provider that wants alternation, with signed thinking unchanged', async () => {
	const thinking = { type: 'thinking', thinking: 'First.', signature: 'c2ln' };
	const use = (id: string) => ({ type: 'tool_use', id, name: 'run', input: {} });
	const { history } = await given(
		[
			{ role: 'user', content: 'Go.' },
			{ role: 'assistant', content: [thinking, use('1')] },
			{ role: 'assistant', content: [use('2')] },
			{ role: 'user', content: [{ type: 'tool_result', tool_use_id: '2', content: 'y' }] },
			{ role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'x' }] },
		],
		'anthropic',
	);
	expect(history.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
	expect(history[1]?.content).toEqual([thinking, use('1'), use('2')]);
});

it.each(['gemini', 'anthropic'] as const)(
	'prepare adds a short prompt before a history that begins with an answer (%s)',
	async (format) => {
		const world = testWorld();
		await openSession(world.store, testClient, {
			sessionId: 's',
			provider: 'google',
			model: 'gemini-2.5-pro',
		});
		await world.store.run('s', testClient, async (session) => {
			await appendMessages(session, [answer('a', 'Hello.'), user('u', 'Go.')], 'contextd', {
				client: session.client,
			});
			const once = (await renderHistory(session, format)).messages;
			expect(once).toHaveLength(3);
			expect((await renderHistory(session, format)).messages).toEqual(once);
			expect((await renderHistory(session, 'openai')).messages).toHaveLength(2);
			const again = await given(once, format);
			expect(again.history).toEqual(once);
		});
	},
);

it('prepare needs no second repair of a repaired history', async () => {
	const broken = [
		user('u1', 'Go.'),
		call('a', ['1', '2', '1']),
		result('r9', '9', 'odd'),
		user('u2', 'Wait.'),
		result('r2', '2', 'x'),
		result('r2b', '2', 'x'),
	];
	const { history } = await given(broken);
	const again = await given(history);
	expect(again.repairs).toEqual({ orphanedCallsFixed: 0, orphanedResultsFixed: 0 });
	expect(sketch(again.history)).toEqual(sketch(history));
});
