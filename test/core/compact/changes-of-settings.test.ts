import { describe, expect, it } from 'vitest';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const before = '    "vite": "^6.0.5",';
const after = '    "vite": "^5.4.21",';

/** How agents change a line of a file. */
const editors: [agent: string, edit: (path: string) => ToolCall][] = [
	['Claude Code', (path) => call('Edit', { file_path: path, old_string: before, new_string: after })],
	['pi', (path) => call('edit', { path, oldText: before, newText: after })],
	[
		'OpenCode',
		(path) =>
			call('apply_patch', {
				patchText: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch`,
			}),
	],
];

/** Returns a summary of an edit, and of later messages. */
const summaryAfter = (edit: ToolCall, failed: boolean, ...later: Parameters<typeof summaryOf>[0]): string =>
	summaryOf(
		[
			user(0, 'Why does the build fail?'),
			assistant(1, '', edit),
			result(2, edit, failed ? 'String to replace not found.' : 'Done.', failed),
			assistant(3, 'It builds now.'),
			...later,
		],
		1200,
	);

describe.each(editors)('an edit of a single line by %s', (_, edit) => {
	it.each(['package.json', 'config/app.yml', 'Cargo.toml', 'Dockerfile'])(
		'is shown with its new line in a file of settings: %s',
		(path) => {
			const text = summaryAfter(edit(path), false);
			expect(text).toMatch(new RegExp(`^\\[#1\\] \\S+ ${path}.*\\n "vite": "\\^5\\.4\\.21",$`, 'm'));
			expect(text).not.toContain('6.0.5');
		},
	);

	it('is not shown with its new line if it failed', () => {
		expect(summaryAfter(edit('package.json'), true)).not.toContain('5.4.21');
	});

	it('is not shown with its new line once that was replaced', () => {
		const next = call('Edit', {
			file_path: 'package.json',
			old_string: after,
			new_string: '    "vite": "^7.1.0",',
		});
		const text = summaryAfter(edit('package.json'), false, assistant(4, '', next), result(5, next, 'Done.'));
		expect(text).toContain('"vite": "^7.1.0",');
		expect(text).not.toContain('5.4.21');
	});
});
