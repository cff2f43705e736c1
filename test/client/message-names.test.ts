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

describe('names of messages', () => {
	const full = read('r1', '/w/strategy/manual_commit_hooks.go');
	const targets = targetsOf(full);

	it('a result is named by its tool and file', () => {
		expect(messageName(full[1] as ChatMessage, targets)).toBe('Read manual_commit_hooks.go');
	});

	it.each<[string, ChatMessage, string]>([
		['a read has the extension of its file', full[1] as ChatMessage, 'Read manual_commit_hooks.go'],
		['an output of a program is text', { role: 'tool', toolName: 'Bash', content: 'ok' }, 'Bash.txt'],
		['JSON has the extension .json', { role: 'tool', toolName: 'fetch', content: '{"a": 1}' }, 'fetch.json'],
		['invalid JSON is text', { role: 'tool', toolName: 'fetch', content: '{a' }, 'fetch.txt'],
		['words are Markdown', { role: 'user', content: 'Why?' }, 'User.md'],
		['a summary is named as such', { role: 'user', content: 'So far.', condenseId: 'k' }, 'Summary.md'],
		['a name contains no path separators', { role: 'tool', toolName: 'a/b:c', content: '' }, 'a_b_c.txt'],
	])('documentName: %s', (_, message, name) => {
		expect(documentName(message, targets)).toBe(name);
	});
});

describe('files in the context', () => {
	it('files with visible reads are listed with their newest read', () => {
		const full = [
			...read('r1', 'a.ts'),
			...read('r2', 'a.ts'),
			...read('r3', 'b.ts', { condenseParent: 'k' }),
		];
		expect(fileReadsOf(full, [])).toEqual([{ path: 'a.ts', reads: 2, messageId: 'r2', stale: false }]);
	});

	it('stale files are listed first', () => {
		const full = [...read('r1', 'a.ts'), ...read('r2', 'b.ts')];
		const files = fileReadsOf(full, [{ uri: 'file:///w/b.ts', messageId: 'r2' }]);
		expect(files.map(({ path, stale }) => [path, stale])).toEqual([
			['b.ts', true],
			['a.ts', false],
		]);
	});

	it('stale reads without a tool call are listed too', () => {
		expect(fileReadsOf([], [{ uri: 'file:///w/with%20space.ts', messageId: 'm' }])).toEqual([
			{ path: '/w/with space.ts', reads: 1, messageId: 'm', stale: true },
		]);
	});

	it("isRead matches whole paths and paths relative to the agent's folder", () => {
		const reads = [{ path: './src/a.ts' }, { path: '/w/b.ts' }];
		expect(isRead(reads, '/w/src/a.ts')).toBe(true);
		expect(isRead(reads, '/w/b.ts')).toBe(true);
		expect(isRead(reads, '/w/readme.md')).toBe(false);
		expect(isRead(reads, '/w/src/b.ts')).toBe(false);
	});
});
