import { expect, it } from 'vitest';
import { kimiCompacted, kimiLines } from './fixtures/kimiCode.ts';
import { read } from './reading.ts';

const prompt = (text: string) => ({
	type: 'context.append_message',
	message: { role: 'user', content: [{ type: 'text', text }], origin: { kind: 'user' } },
});

it('a session of Kimi Code merges the parts of a step, and defers other messages until after its results', () => {
	const session = read(kimiLines);
	expect(session?.all).toEqual([
		'system: Be brief',
		'user: List',
		'assistant: (hm) I look [c1 Bash] [c2 Bash]',
		'tool c1: a b',
		'tool c2: no la',
		'user: Wait',
		'user*: <system-reminder>\nplan</system-reminder>',
		'assistant: Two files',
		'user: Thanks',
	]);
	expect(session?.messages[2]).toMatchObject({
		usage: { input: 10, output: 4, cacheRead: 100, cacheWrite: 0 },
		stopReason: 'tool',
		toolCalls: [{ args: { command: 'ls' } }, { args: { command: 'la' } }],
	});
	expect(session?.messages[4]).toMatchObject({ isError: true, toolName: 'Bash' });
	expect(session?.info).toEqual({ model: 'k-x', provider: 'kimi' });
	expect(session?.skipped).toEqual({ metadata: 1, 'turn.prompt': 1, 'usage.record': 1 });
});

it('a compaction of Kimi Code keeps the newest prompts and the summary', () => {
	expect(read(kimiCompacted)?.visible).toEqual([
		'system: Be brief',
		'user: Wait',
		'user: Thanks',
		'user*: So far: two files',
		'user: Go on',
	]);
});

it('a session of Kimi Code keeps uncompacted messages after the summary of an older compaction', () => {
	const session = read([
		...kimiLines,
		{ type: 'context.apply_compaction', summary: 'So far', compactedCount: 7 },
		prompt('Go on'),
	]);
	expect(session?.visible).toEqual(['system: Be brief', 'user*: So far', 'user: Thanks', 'user: Go on']);
});

it('an undo of Kimi Code removes prompts and what followed them, up to a summary', () => {
	const undo = (count: number) => ({ type: 'context.undo', count });
	expect(read([...kimiLines, undo(2)])?.visible.at(-1)).toBe('tool c2: no la');
	expect(read([...kimiLines, undo(9)])?.visible).toHaveLength(9);
	expect(read([...kimiCompacted, undo(1)])?.visible.at(-1)).toBe('user*: So far: two files');
	expect(read([...kimiCompacted, undo(2)])?.visible.at(-1)).toBe('user: Go on');
});

it('an undo of Kimi Code removes messages that an older compaction kept', () => {
	const session = read([
		...kimiLines,
		{ type: 'context.apply_compaction', summary: 'So far', compactedCount: 7 },
		prompt('Go on'),
		{ type: 'context.undo', count: 2 },
		prompt('Else'),
	]);
	expect(session?.visible).toEqual(['system: Be brief', 'user*: So far', 'user: Else']);
});

it('clearing the context of Kimi Code keeps only the instructions', () => {
	const session = read([...kimiCompacted, { type: 'context.clear' }, prompt('Anew')]);
	expect(session?.visible).toEqual(['system: Be brief', 'user: Anew']);
});
