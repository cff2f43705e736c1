import { describe, expect, it } from 'vitest';
import { findFileAccess, findTouches } from '../../../server/core/files/findTouches.ts';

function touches(name: string, args: unknown) {
	return findTouches({ id: 'c', name, args }).map(({ callId: _, ...touch }) => touch);
}

describe('reads of file tools', () => {
	it.each<[string, unknown, object]>([
		['Read', { file_path: '/w/a.ts' }, { path: '/w/a.ts', from: 1, to: 2000 }],
		['Read', { file_path: '/w/a.ts', offset: 960, limit: 60 }, { path: '/w/a.ts', from: 960, to: 1019 }],
		['Read', { file_path: '/w/a.ts', limit: 20 }, { path: '/w/a.ts', from: 1, to: 20 }],
		['Read', { file_path: '/w/a.ts', offset: 0, limit: '20' }, { path: '/w/a.ts', from: 1, to: 20 }],
		['read', { path: './src/../a.ts', offset: 5, limit: 5 }, { path: 'a.ts', from: 5, to: 9 }],
		['read_file', { absolute_path: '/w/a', offset: 10, limit: 10 }, { path: '/w/a', from: 11, to: 20 }],
		['read_file', { file_path: 'a.md' }, { path: 'a.md' }],
		['read', { path: '/w/a.html:raw', limit: 9 }, { path: '/w/a.html', from: 1, to: 9 }],
		['read', { path: 'src/a.ts:120-180' }, { path: 'src/a.ts', from: 120, to: 180 }],
		['read', { path: 'C:\\w\\a.ts:7' }, { path: 'C:/w/a.ts', from: 7 }],
		['read_file', { path: 'a.md', start_line: 4, end_line: 8 }, { path: 'a.md', from: 4, to: 8 }],
		['read_file', { path: 'a.md', startLine: 4, endLine: -1 }, { path: 'a.md', from: 4 }],
		[
			'copilot_readFile',
			{ filePath: 'C:\\w\\a.ts', startLine: 2, endLine: 3 },
			{ path: 'C:/w/a.ts', from: 2, to: 3 },
		],
		['view', { path: '/w/a.ts', view_range: [10, 20] }, { path: '/w/a.ts', from: 10, to: 20 }],
		['view', { path: '/w/a.ts', view_range: [10, -1] }, { path: '/w/a.ts', from: 10 }],
		['view', { path: '/w/a.ts' }, { path: '/w/a.ts' }],
		[
			'view_file',
			{ AbsolutePath: 'c:\\w\\a.ts', StartLine: 4, EndLine: 8 },
			{ path: 'C:/w/a.ts', from: 4, to: 8 },
		],
		[
			'str_replace_editor',
			{ command: 'view', path: '/a', view_range: [1, 2] },
			{ path: '/a', from: 1, to: 2 },
		],
		['mcp__filesystem__read_text_file', { path: '/a', head: 3 }, { path: '/a', from: 1, to: 3 }],
		['filesystem-read_text_file', { path: '/a', tail: 3 }, { path: '/a', lastLines: 3 }],
	])('reads of the file tool %s with %j', (name, args, expected) => {
		expect(touches(name, args)).toEqual([{ kind: 'read', ...expected }]);
	});

	it('a call for several files yields several reads', () => {
		expect(touches('read_multiple_files', { paths: ['/a', '/b'] })).toEqual([
			{ kind: 'read', path: '/a' },
			{ kind: 'read', path: '/b' },
		]);
		expect(touches('read_file', { files: [{ path: 'a', line_ranges: [[1, 5], '10-12'] }] })).toEqual([
			{ kind: 'read', path: 'a', from: 1, to: 5 },
			{ kind: 'read', path: 'a', from: 10, to: 12 },
		]);
	});

	it('patterns, unknown tools and invalid arguments yield no reads', () => {
		expect(touches('read_many_files', { paths: ['src/**/*.ts'] })).toEqual([]);
		expect(touches('Grep', { path: '/a', pattern: 'x' })).toEqual([]);
		expect(touches('Read', { file_path: 5 })).toEqual([]);
		expect(touches('Read', null)).toEqual([]);
		expect(touches('constructor', { path: '/a' })).toEqual([]);
	});
});

describe('edits of file tools', () => {
	it.each<[string, unknown, object]>([
		['Edit', { file_path: '/w/a', old_string: 'x', new_string: 'y' }, { path: '/w/a' }],
		['MultiEdit', { file_path: '/w/a', edits: [] }, { path: '/w/a' }],
		['NotebookEdit', { notebook_path: '/w/a.ipynb' }, { path: '/w/a.ipynb' }],
		['write_file', { file_path: 'a', content: '' }, { path: 'a' }],
		['write_file', { file_path: 'file:///w/a.ts', content: '' }, { path: '/w/a.ts' }],
		['write_file', { file_path: 'notes:2024', content: '' }, { path: 'notes:2024' }],
		['replace', { file_path: 'a' }, { path: 'a' }],
		['str_replace_editor', { command: 'str_replace', path: '/a' }, { path: '/a' }],
		['str_replace_editor', { command: 'insert', path: '/a', insert_line: 7 }, { path: '/a', from: 7 }],
		['create', { path: '/a', file_text: '' }, { path: '/a' }],
		['file_change', { changes: [{ path: '/a', kind: 'add' }] }, { path: '/a' }],
	])('edits of the file tool %s with %j', (name, args, expected) => {
		expect(touches(name, args)).toEqual([{ kind: 'edit', ...expected }]);
	});

	it('the files of a patch are read from its text', () => {
		const patch = [
			'*** Begin Patch',
			'*** Update File: src/a.ts',
			'*** Move to: src/b.ts',
			'@@',
			'+*** Add File: not-a-header',
			'*** Add File: ./c.ts',
			'*** End Patch',
		].join('\n');
		const expected = ['src/a.ts', 'src/b.ts', 'c.ts'].map((path) => ({ kind: 'edit', path }));
		expect(touches('apply_patch', { input: patch })).toEqual(expected);
		expect(touches('apply_patch', patch)).toEqual(expected);
		expect(touches('shell', { command: ['apply_patch', patch] })).toEqual(expected);
		expect(touches('bash', { command: `apply_patch <<'EOF'\n${patch}\nEOF\n` })).toEqual(expected);
	});
});

it('relative paths are resolved against the given folder', () => {
	const call = { id: 'c', name: 'Read', args: { file_path: 'src/a.ts', limit: 1 } };
	expect(findFileAccess(call, '/w').touches[0]?.path).toBe('/w/src/a.ts');
});

it.each(['agent://3-Review', 'https://example.com/a.ts', 'artifact://7'])('%s is no file', (path) => {
	expect(touches('read', { path })).toEqual([]);
});
