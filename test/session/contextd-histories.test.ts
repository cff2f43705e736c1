import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../../server/protocol/conversation.ts';
import { answer, call, result, user } from '../support/messages.ts';
import { validate } from '../support/validate.ts';
import { historyOf, sessionWith, testWorld } from '../support/world.ts';

/** Returns the history that a session renders of these messages in the neutral format. */
async function history(messages: readonly ChatMessage[]): Promise<ChatMessage[]> {
	return historyOf(await sessionWith(testWorld(), messages));
}

const ids = (messages: readonly ChatMessage[]) => messages.map(({ id }) => id);

describe('histories in the neutral format', () => {
	it('a result that strayed behind words is moved back to its call', async () => {
		const strayed = [user('u', 'go'), call('c', ['1']), answer('a', 'wait'), result('r', '1', 'done')];
		expect(validate(strayed, 'contextd').problems).toMatchObject([
			{ rule: 'pairs', index: 1 },
			{ rule: 'pairs', index: 3 },
		]);
		expect(ids(await history(strayed))).toEqual(['u', 'c', 'r', 'a']);
	});

	it('a result without a call is given a call, whose id it names', async () => {
		const orphan: ChatMessage = { id: 'r', role: 'tool', content: 'done' };
		const [, made, found] = await history([user('u', 'go'), orphan, answer('a', 'ok')]);
		const id = made?.toolCalls?.[0]?.id;
		expect(id).toBeTruthy();
		expect(found).toMatchObject({ ...orphan, toolCallId: id });
	});

	it('calls with words between them are each followed by their result', async () => {
		const between = [
			user('u', 'go'),
			call('c1', ['1']),
			answer('a', 'and'),
			call('c2', ['2']),
			result('r1', '1', 'one'),
			result('r2', '2', 'two'),
		];
		expect(ids(await history(between))).toEqual(['u', 'c1', 'r1', 'a', 'c2', 'r2']);
	});

	it('calls of one answer may stay in separate messages', async () => {
		const rowed = [call('c1', ['1']), call('c2', ['2']), result('r2', '2', 'two'), result('r1', '1', 'one')];
		expect(await history([user('u', 'go'), ...rowed])).toEqual([user('u', 'go'), ...rowed]);
	});

	it('empty call ids are replaced by unique ones that results name, the same at every reading', async () => {
		const empty = [
			user('u', 'go'),
			call('c1', ['', '']),
			result('r1', '', 'one'),
			result('r2', '', 'two'),
			call('c2', ['', 'x']),
			result('r4', 'x', 'four'),
			result('r3', '', 'three'),
		];
		expect(validate(empty, 'contextd').problems).toMatchObject([{ rule: 'call-ids' }, { rule: 'call-ids' }]);
		const world = testWorld();
		const session = await sessionWith(world, empty);
		const messages = await historyOf(session);
		expect(validate(messages, 'contextd')).toEqual({ valid: true, problems: [] });
		const called = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
		expect(new Set(called).size).toBe(4);
		expect(called).not.toContain('');
		const answered = new Map(messages.map(({ toolCallId, content }) => [toolCallId, content]));
		expect(called.map((id) => answered.get(id))).toEqual(['one', 'two', 'three', 'four']);
		expect(await historyOf(session)).toEqual(messages);
		expect(messages[0]).toEqual(empty[0]);
	});

	const callIds = fc.constantFrom('', '1', '2', '3');
	const message = fc.oneof<fc.Arbitrary<ChatMessage>[]>(
		fc.record({ role: fc.constant('user' as const), content: fc.constant('go') }),
		fc.record({ role: fc.constant('assistant' as const), content: fc.constant('words') }),
		fc.uniqueArray(callIds, { minLength: 1, maxLength: 3 }).map((some) => ({
			role: 'assistant',
			content: '',
			toolCalls: some.map((id) => ({ id, name: 'run', args: {} })),
		})),
		fc.record({
			role: fc.constant('tool' as const),
			toolCallId: callIds,
			content: fc.constantFrom('one', 'two'),
		}),
		fc.record({ role: fc.constant('tool' as const), content: fc.constantFrom('one', 'two') }),
	);
	const messy = fc.array(message, { maxLength: 9 });

	it('a history in the neutral format is valid, whatever was appended', async () => {
		await fc.assert(
			fc.asyncProperty(messy, async (messages) => {
				expect(validate(await history(messages), 'contextd').problems).toEqual([]);
			}),
			{ numRuns: 300 },
		);
	});

	it('a history in the neutral format is exactly what was appended if and only if that is valid', async () => {
		await fc.assert(
			fc.asyncProperty(messy, async (messages) => {
				const isSame = JSON.stringify(await history(messages)) === JSON.stringify(messages);
				expect(isSame).toBe(validate(messages, 'contextd').valid);
			}),
			{ numRuns: 500 },
		);
	});
});
