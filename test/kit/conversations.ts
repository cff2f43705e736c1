/** Conversations of a host that uses the Messages API. */

import fc from 'fast-check';
import { computeDelta, emptySyncState } from '../../kit/daemonSession.ts';
import { anthropicDialect as dialect } from '../../kit/dialects/anthropic.ts';
import { computeChainIds } from '../../kit/fingerprint.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';

export type Native = Record<string, unknown>;

export const said = (role: string, text: string): Native => ({ role, content: [{ type: 'text', text }] });
export const called = (id: string, name: string, input: object = {}): Native => ({
	role: 'assistant',
	content: [{ type: 'tool_use', id, name, input }],
});
export const answered = (id: string, content: unknown, isError = false): Native => ({
	role: 'user',
	content: [{ type: 'tool_result', tool_use_id: id, content, ...(isError && { is_error: true }) }],
});

/** Turns of a prompt, calls with their results, and an answer. */
const turn = fc
	.tuple(fc.string({ maxLength: 12 }), fc.array(fc.string({ maxLength: 40 }), { maxLength: 3 }), fc.string())
	.map(([prompt, results, end]) => ({ prompt, results, end }));

/** Conversations of up to eight turns. Call ids are unique in a conversation; an id has the same result in all of them. */
export const conversations: fc.Arbitrary<Native[]> = fc
	.array(turn, { minLength: 1, maxLength: 8 })
	.map((turns) =>
		turns.flatMap(({ prompt, results, end }, no) => [
			said('user', `${prompt}?`),
			...results.flatMap((text, index) => {
				const id = `call-${no}-${index}-${Buffer.from(text).toString('hex')}`;
				return [called(id, 'Bash', { command: `step ${index}` }), answered(id, `out: ${text}`)];
			}),
			said('assistant', `${end}.`),
		]),
	);

/** Returns the neutral messages that a daemon gets for a new list, with their ids. */
export function toDaemonMessages(raw: readonly Native[]): ChatMessage[] {
	return computeDelta(emptySyncState, raw, computeChainIds(dialect, raw), dialect).append;
}

/** Returns a daemon's view of a list: the first message, a summary, and the last `kept` neutral messages. */
export function compacted(raw: readonly Native[], kept: number): ChatMessage[] {
	const told = toDaemonMessages(raw);
	const summary: ChatMessage = {
		id: 'summary-1',
		role: 'user',
		content: 'What happened.',
		metadata: { isSummary: true },
	};
	return [...told.slice(0, 1), summary, ...told.slice(Math.max(1, told.length - kept))];
}
