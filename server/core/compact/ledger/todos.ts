import type { Source } from './source.ts';

/** An item of a plan that the agent keeps by a tool. */
export interface Todo {
	text: string;
	state: 'open' | 'active' | 'done';
}

const TEXT_NAMES = ['content', 'step', 'text', 'title', 'subject', 'description', 'task'];

/** The newest list of tasks that a call handed over, and the message that holds it. */
export function newestTodos(sources: readonly Source[]): { todos: Todo[]; source: Source } | undefined {
	for (let at = sources.length - 1; at >= 0; at--) {
		for (const { args } of sources[at]!.calls) {
			if (typeof args !== 'object' || args === null) continue;
			for (const value of Object.values(args)) {
				const todos = Array.isArray(value) ? value.map(todoOf) : [];
				if (todos.length > 0 && todos.every((todo) => todo !== undefined))
					return { todos, source: sources[at]! };
			}
		}
	}
	return undefined;
}

function todoOf(item: unknown): Todo | undefined {
	if (typeof item !== 'object' || item === null) return undefined;
	const entry = item as Record<string, unknown>;
	const status = entry.status ?? entry.completed ?? entry.done;
	const text = TEXT_NAMES.map((name) => entry[name]).find((value) => typeof value === 'string');
	if (typeof text !== 'string' || status === undefined) return undefined;
	if (status === true || /^(?:completed?|done|cancelled|finished)$/i.test(String(status)))
		return { text, state: 'done' };
	return { text, state: /progress|active|doing/i.test(String(status)) ? 'active' : 'open' };
}
