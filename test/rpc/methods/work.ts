/** Sessions of an agent's work, and their compaction over the protocol. */

import { type CompactResult, contextCompact } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { App } from '../../support/app.ts';
import { assistantSays, userSays } from '../../support/messages.ts';

/** Compacts a session that has messages. */
export async function compactIn(
	app: App,
	sessionId: string,
	more: Record<string, unknown> = {},
): Promise<CompactResult & { messages?: ChatMessage[] }> {
	const result = await app.ask(contextCompact, { sessionId, ...more });
	if (!result) throw new Error('the session has no messages');
	return result as CompactResult & { messages?: ChatMessage[] };
}

/** Returns an agent's work: a task, then rounds of a call and its result. */
export function work(rounds: number): ChatMessage[] {
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
