import { readFileSync } from 'node:fs';
import type { ChatMessage } from '../../server/protocol/conversation.ts';

/** Returns the processor milliseconds of this thread, or of the process if the system does not count threads. */
function processorTime(): number {
	try {
		return Number.parseInt(readFileSync('/proc/thread-self/schedstat', 'latin1'), 10) / 1e6;
	} catch {
		const { user, system } = process.cpuUsage();
		return (user + system) / 1000;
	}
}

/**
 * Returns the longest time, in processor milliseconds, for which a task blocked everything else. Processor time is
 * independent of other processes. Only this thread is measured: other threads, which read files and free memory, block
 * nothing.
 */
export async function longestBlock(work: () => Promise<unknown>): Promise<number> {
	let longest = 0;
	let isDone = false;
	let before = processorTime();
	const finished = work().finally(() => {
		isDone = true;
	});
	while (!isDone) {
		await new Promise((resolve) => setImmediate(resolve));
		const now = processorTime();
		longest = Math.max(longest, now - before);
		before = now;
	}
	await finished;
	return longest;
}

/** Returns a session of many short messages: questions, calls, their results, answers. */
export function shortMessages(from: number, count: number): ChatMessage[] {
	return Array.from({ length: count }, (_, index): ChatMessage => {
		const position = from + index;
		const path = `/w/src/file${position % 97}.ts`;
		if (position % 4 === 0) return { role: 'user', content: `question ${position} about ${path}` };
		const call = { id: `call-${position}`, name: 'Read', args: { file_path: path } };
		if (position % 4 === 1) return { role: 'assistant', content: '', toolCalls: [call] };
		if (position % 4 === 2)
			return { role: 'tool', toolCallId: `call-${position - 1}`, content: `line one ${position}\nline two` };
		return { role: 'assistant', content: `answer ${position}: it is done` };
	});
}
