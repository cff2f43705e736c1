import { describe, expect, it } from 'vitest';
import { createDocumentName, formatMessageName } from '../../client-vscode/src/text/messageNames.ts';
import { collectCallTargets, includesFile } from '../../client-vscode/src/text/reads.ts';
import type { ChatMessage } from '../../server/protocol/conversation.ts';

function read(id: string, path: string, change: Partial<ChatMessage> = {}): ChatMessage[] {
	return [
		{ id: `${id}-call`, role: 'assistant', content: '', toolCalls: [{ id, name: 'Read', args: { path } }] },
		{ id, role: 'tool', toolCallId: id, toolName: 'Read', content: 'text', ...change },
	];
}

describe('names of messages', () => {
	const full = read('r1', '/w/strategy/manual_commit_hooks.go');
	const targets = collectCallTargets(full);

	it('a result is named by its tool and file', () => {
		expect(formatMessageName(full[1] as ChatMessage, targets)).toBe('Read manual_commit_hooks.go');
	});

	it.each<[string, ChatMessage, string]>([
		['a read has the extension of its file', full[1] as ChatMessage, 'Read manual_commit_hooks.go'],
		['an output of a program is text', { role: 'tool', toolName: 'Bash', content: 'ok' }, 'Bash.txt'],
		['JSON has the extension .json', { role: 'tool', toolName: 'fetch', content: '{"a": 1}' }, 'fetch.json'],
		['invalid JSON is text', { role: 'tool', toolName: 'fetch', content: '{a' }, 'fetch.txt'],
		['words are Markdown', { role: 'user', content: 'Why?' }, 'User.md'],
		['a summary is named as such', { role: 'user', content: 'So far.', condenseId: 'k' }, 'Summary.md'],
		[
			'a result that a compaction replaced keeps the name of its tool',
			{ role: 'tool', toolName: 'run_tests', content: '[Same as a later result]', condenseId: 'k' },
			'run_tests.txt',
		],
		['a name contains no path separators', { role: 'tool', toolName: 'a/b:c', content: '' }, 'a_b_c.txt'],
	])('createDocumentName: %s', (_, message, name) => {
		expect(createDocumentName(message, targets)).toBe(name);
	});
});

describe('files in the context', () => {
	it("a file is recognized by its whole path and by a path relative to the agent's folder", () => {
		const reads = ['./src/a.ts', '/w/b.ts'];
		expect(includesFile(reads, '/w/src/a.ts')).toBe(true);
		expect(includesFile(reads, '/w/b.ts')).toBe(true);
		expect(includesFile(reads, '/w/readme.md')).toBe(false);
		expect(includesFile(reads, '/w/src/b.ts')).toBe(false);
	});
});
