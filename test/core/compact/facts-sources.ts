import type { TouchedFiles } from '../../../server/core/analysis/changes/fileCalls.ts';
import { listTouchedFiles } from '../../../server/core/analysis/changes/filesTouched.ts';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { findFileAccess } from '../../../server/core/files/findTouches.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';

/** Estimates tokens as four characters each, rounded up. */
export const count = (text: string): number => Math.ceil(text.length / 4);

let calls = 0;

export function user(seq: number, text: string, more: Partial<Source> = {}): Source {
	return { seq, id: `id-${seq}`, role: 'user', text, calls: [], ...more };
}

export function assistant(seq: number, text: string, ...toolCalls: Source['calls']): Source {
	return { seq, id: `id-${seq}`, role: 'assistant', text, calls: toolCalls };
}

/** Returns the source of a message as it is read from a session. */
export function readMessage(seq: number, role: 'user' | 'assistant', content: string): Source {
	const row = { tool: undefined, answers: undefined, isError: undefined, injected: undefined, at: 0 };
	return createSource({ seq, id: `id-${seq}`, ...row }, { id: `id-${seq}`, role, content });
}

export function call(name: string, args: unknown): Source['calls'][number] {
	return { id: `call-${calls++}`, name, args };
}

export function result(seq: number, of: Source['calls'][number], text: string, isError = false): Source {
	return {
		seq,
		id: `id-${seq}`,
		role: 'tool',
		text,
		calls: [],
		toolName: of.name,
		toolCallId: of.id,
		isError,
		failed: isError,
	};
}

/** Returns the source of a call's result as it is read from a session. */
export function readResult(
	seq: number,
	{ id, name }: Source['calls'][number],
	content: ChatMessage['content'],
): Source {
	const row = { seq, id: `id-${seq}`, tool: name, answers: id };
	return createSource(row, { id: row.id, role: 'tool', toolCallId: id, toolName: name, content });
}

/** Returns calls and their results, numbered from `from`. */
export function done(
	from: number,
	...calls: [Source['calls'][number], output?: string, failed?: boolean][]
): Source[] {
	return calls.flatMap(([made, output = 'done', failed = false], index) => [
		assistant(from + 2 * index, '', made),
		result(from + 2 * index + 1, made, output, failed),
	]);
}

/** Returns the files that the calls of messages touch if all of them succeed. */
export function filesOf(sources: readonly Source[]): TouchedFiles {
	return listTouchedFiles(
		sources.flatMap((caller) => caller.calls.map((call) => ({ call, caller, access: findFileAccess(call) }))),
	);
}
