import { describe, expect, it } from 'vitest';
import { listAddedLines } from '../../../server/core/analysis/calls/changedLines.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const path = '/srv/fares.ts';
const old = [
	'export const zones = readZones(options);',
	'export const ferries = readFerries(zones);',
	'export const harbours = readHarbours(ferries);',
	'export const quays = readQuays(harbours);',
];
const changed = [
	'export const zones = readZones(options, region_code);',
	...old.slice(1, 3),
	'export const quays = readQuays(harbours, depth_limit);',
];
const blocks = `<<<<<<< SEARCH\n${old.join('\n')}\n=======\n${changed.join('\n')}\n>>>>>>> REPLACE`;
const patch = [
	'*** Begin Patch',
	`*** Update File: ${path}`,
	'@@',
	`-${old[0]}`,
	`+${changed[0]}`,
	` ${old[1]}`,
	` ${old[2]}`,
	`-${old[3]}`,
	`+${changed[3]}`,
	'*** End Patch',
].join('\n');

/** Edits in the formats of Claude Code, OpenCode, pi, Cline and Codex. */
const formats = {
	Edit: (before: string, after: string) => ({ file_path: path, old_string: before, new_string: after }),
	edit: (before: string, after: string) => ({ filePath: path, oldString: before, newString: after }),
	MultiEdit: (before: string, after: string) => ({
		file_path: path,
		edits: [{ old_string: before, new_string: after }],
	}),
	str_replace_based_edit_tool: (before: string, after: string) => ({
		command: 'str_replace',
		path,
		old_str: before,
		new_str: after,
	}),
};

/** Returns the section of files in an ample summary of a session that ends with an edit. */
function filesAfter(name: string, args: object): string {
	const talk = Array.from({ length: 40 }, (_, index) =>
		assistant(2 + index, `Step ${index}: the zones of harbour ${index} are numbered from the quay outwards.`),
	);
	const edit = call(name, args);
	const sources = [user(1, 'Fix the fares.'), ...talk, assistant(50, '', edit), result(51, edit, 'Updated.')];
	return sectionIn(summaryOf(sources, 3000), 'files');
}

describe('lines of an edit in a summary', () => {
	it.each([
		...Object.entries(formats).map(
			([name, build]) => [name, build(old.join('\n'), changed.join('\n'))] as const,
		),
		['replace_in_file', { path, diff: blocks }] as const,
		['apply_patch', { input: patch }] as const,
	])('changed lines that are not adjacent have a gap between them: %s', (name, args) => {
		const files = filesAfter(name, args);
		expect(files).toMatch(
			/region_code\);(?:\n …| …)\n export const quays = readQuays\(harbours, depth_limit\);/,
		);
		if (name in formats) expect(files).not.toContain('readFerries');
	});

	it.each(Object.entries(formats))('moved lines and indented lines are shown: %s', (name, build) => {
		const moved = [...old.slice(1), old[0]].join('\n');
		expect(filesAfter(name, build(old.join('\n'), moved))).toContain(old[0]);
		const indented = ['if (isOpen) {', ...old.map((line) => `\t${line}`), '}'].join('\n');
		expect(filesAfter(name, build(old.join('\n'), indented))).toContain(old[2]);
	});

	it.each([
		['MultiEdit', 'edits', 'old_string', 'new_string'],
		['edit', 'edits', 'oldText', 'newText'],
	])('a line that one edit moves to the place of another is shown: %s', (name, list, before, after) => {
		const line = 'export const depth_limit = readLimit(harbours);';
		const edits = [
			{ [before]: `${old[0]}\n${line}`, [after]: `${old[0]}` },
			{ [before]: old[3], [after]: `${line}\n${old[3]}` },
		];
		expect(filesAfter(name, { path, file_path: path, [list]: edits })).toContain(line);
	});

	it('a small summary has a gap between short changed lines that are not adjacent', () => {
		const before = ['width = 1', 'depth = 2', 'speed = 3'];
		const after = ['width = 9', 'depth = 2', 'speed = 7'];
		const edit = call('Edit', {
			file_path: path,
			old_string: before.join('\n'),
			new_string: after.join('\n'),
		});
		const sources = [user(1, 'Fix it.'), assistant(2, '', edit), result(3, edit, 'Updated.')];
		for (const budget of [80, 120, 200])
			expect(summaryOf(sources, budget)).not.toMatch(/width = 9\n *speed = 7/);
		expect(summaryOf(sources, 200)).toContain('speed = 7');
	});

	it('the changed lines of a text are those between its equal start and end', () => {
		expect(listAddedLines('a\nb\nc', 'a\nc')).toEqual([['b']]);
		expect(listAddedLines('a\na\nb', 'a\nb')).toEqual([['a']]);
		expect(listAddedLines('a\nx\nb\ny\nc', 'a\nb\nc')).toEqual([['x'], ['y']]);
		expect(listAddedLines('a', 'a\nb')).toEqual([]);
		expect(listAddedLines('b\na', 'a\nb')).toEqual([['b', 'a']]);
		expect(listAddedLines('a\nb')).toEqual([['a', 'b']]);
	});
});
