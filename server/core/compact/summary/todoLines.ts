/** The agent's plan as it stands, in lines. */

import { quoteLine } from '../ledger/quote.ts';
import type { Source } from '../ledger/source.ts';
import { presentTodos } from './todos.ts';

/** What is open, a line each; then what is done, in one. */
export function todoLines(sources: readonly Source[]): string[] {
	const todos = presentTodos(sources);
	const done = todos.filter(({ state }) => state === 'done').map(({ text }) => quoteLine(text));
	const open = todos
		.filter(({ state }) => state !== 'done')
		.map(({ state, text }) => `- ${state === 'active' ? '(in progress) ' : ''}${quoteLine(text)}`);
	return done.length === 0
		? open
		: [...open, `- done, ${done.length} of ${todos.length}: ${done.join('; ')}`];
}
