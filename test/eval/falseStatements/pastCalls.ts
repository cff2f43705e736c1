/** The calls of a history with their outcomes. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contentText } from '../messageText.ts';

/** A call that was answered. */
export interface PastCall {
	id: string;
	name: string;
	args: unknown;
	result: string;
	isFailed: boolean;
	/** The shell command, if the call runs one. */
	command?: string;
	/** The file that the arguments name. */
	path?: string;
}

/** Matches the start of results which say that nothing was done, although the agent did not flag them as errors. */
const failedStart =
	/^\s*(?:\{\s*"(?:error|success"\s*:\s*false)|<tool_use_error>|(?:[a-z_]+ )?error\b|Fehler\b|fatal:|failed\b|traceback|permission denied|exit code:? [1-9]|process exited with code [1-9]|apply_patch verification failed|the user doesn't want)/i;

/** Matches commands that exit with 1 if they found nothing, or if they found a difference. */
const searches = /^\s*(?:\w+=\S+ )*(?:grep|rg|ag|diff|test|which|pgrep|cmp|git (?:diff|grep))\b/;

const commandKeys = ['command', 'cmd', 'script'];
const pathKeys = [
	'file_path',
	'filePath',
	'absolute_path',
	'path',
	'notebook_path',
	'target_file',
	'filename',
];

/** Matches scripts that only write a file, and print nothing. */
const silentWrite = /^\s*cat > ?\S+ <<-? ?["']?(\w+)["']?\n[\s\S]*\n\1\s*$/;

/**
 * Returns every answered call in order. If an id was used twice, each use is a separate call. Some agents record no empty
 * result, so that a command which only writes a file counts as answered if the agent went on.
 */
export function pastCalls(history: readonly ChatMessage[]): PastCall[] {
	const answeredIds = new Set(history.map(({ toolCallId }) => toolCallId));
	const open = new Map<string, Omit<PastCall, 'result' | 'isFailed'>>();
	const calls: PastCall[] = [];
	for (const [index, message] of history.entries()) {
		const wentOn = history[index + 1]?.role === 'assistant';
		for (const { id, name, args } of message.toolCalls ?? []) {
			const command = argument(args, commandKeys);
			const path = argument(args, pathKeys);
			const call = { id, name, args, ...(command && { command }), ...(path && { path }) };
			if (wentOn && !answeredIds.has(id) && silentWrite.test(command ?? ''))
				calls.push({ ...call, result: '', isFailed: false });
			else open.set(id, call);
		}
		const call = open.get(message.toolCallId ?? '');
		if (message.role !== 'tool' || call === undefined) continue;
		open.delete(call.id);
		const result = contentText(message);
		calls.push({ ...call, result, isFailed: isFailed(call.command, result, message.isError === true) });
	}
	return calls;
}

function isFailed(command: string | undefined, result: string, isFlagged: boolean): boolean {
	const foundNothing = command !== undefined && searches.test(command) && result.length < 100;
	return (isFlagged || failedStart.test(result)) && !foundNothing;
}

function argument(args: unknown, keys: readonly string[]): string | undefined {
	if (args === null || typeof args !== 'object') return undefined;
	const found = Object.entries(args).find(([key]) => keys.includes(key))?.[1];
	if (Array.isArray(found)) return found.join(' ');
	return typeof found === 'string' ? found : undefined;
}

/** Returns all strings and numbers in a call's arguments, in order. */
export function leavesOf(args: unknown): string[] {
	if (args === null || args === undefined) return [];
	if (typeof args === 'object') return Object.values(args).flatMap(leavesOf);
	return [String(args)];
}
