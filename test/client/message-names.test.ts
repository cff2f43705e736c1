import { describe, expect, it } from 'vitest';
import { documentName, messageName } from '../../client-vscode/src/text/messageNames.ts';
import { fileReadsOf, isRead, targetsOf } from '../../client-vscode/src/text/reads.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';

function read(id: string, path: string, change: Partial<ChatMessage> = {}): ChatMessage[] {
	return [
		{ id: `${id}-call`, role: 'assistant', content: '', toolCalls: [{ id, name: 'Read', args: { path } }] },
		{ id, role: 'tool', toolCallId: id, toolName: 'Read', content: 'text', ...change },
	];
}

describe('what a message is called', () => {
	const full = read('r1', '/w/strategy/manual_commit_hooks.go');
	const targets = targetsOf(full);

	it('is the tool with the file that it is about', () => {
		expect(messageName(full[1] as ChatMessage, targets)).toBe('Read manual_commit_hooks.go');
	});

	it.each<[string, ChatMessage, string]>([
		['a read is typed as its file', full[1] as ChatMessage, 'Read manual_commit_hooks.go'],
		['an output of a program is text', { role: 'tool', toolName: 'Bash', content: 'ok' }, 'Bash.txt'],
		['a structure is typed as one', { role: 'tool', toolName: 'fetch', content: '{"a": 1}' }, 'fetch.json'],
		['what only looks like one is not', { role: 'tool', toolName: 'fetch', content: '{a' }, 'fetch.txt'],
		['words are Markdown', { role: 'user', content: 'Why?' }, 'User.md'],
		['a summary says so', { role: 'user', content: 'So far.', condenseId: 'k' }, 'Summary.md'],
		['a name has no signs that paths have', { role: 'tool', toolName: 'a/b:c', content: '' }, 'a_b_c.txt'],
	])('as a document: %s', (_, message, name) => {
		expect(documentName(message, targets)).toBe(name);
	});
});

describe('the files in the context', () => {
	it('are those whose reads are visible, the newest read named', () => {
		const full = [
			...read('r1', 'a.ts'),
			...read('r2', 'a.ts'),
			...read('r3', 'b.ts', { condenseParent: 'k' }),
		];
		expect(fileReadsOf(full, [])).toEqual([{ path: 'a.ts', reads: 2, messageId: 'r2', stale: false }]);
	});

	it('come stale ones first', () => {
		const full = [...read('r1', 'a.ts'), ...read('r2', 'b.ts')];
		const files = fileReadsOf(full, [{ uri: 'file:///w/b.ts', messageId: 'r2' }]);
		expect(files.map(({ path, stale }) => [path, stale])).toEqual([
			['b.ts', true],
			['a.ts', false],
		]);
	});

	it('include stale reads that no tool call tells of', () => {
		expect(fileReadsOf([], [{ uri: 'file:///w/with%20space.ts', messageId: 'm' }])).toEqual([
			{ path: '/w/with space.ts', reads: 1, messageId: 'm', stale: true },
		]);
	});

	it('are known by their path, whole or from the folder of the agent on', () => {
		const reads = [{ path: './src/a.ts' }, { path: '/w/b.ts' }];
		expect(isRead(reads, '/w/src/a.ts')).toBe(true);
		expect(isRead(reads, '/w/b.ts')).toBe(true);
		expect(isRead(reads, '/w/readme.md')).toBe(false);
		expect(isRead(reads, '/w/src/b.ts')).toBe(false);
	});
});
