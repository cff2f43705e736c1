import { describe, expect, it } from 'vitest';
import { renderOutcome } from '../../../server/core/analysis/calls/calls.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const path = 'src/berths.ts';
const missing = 'String to replace not found in file.';
const unread = 'File has not been read yet. Read it first before writing to it.';

/** How agents replace a part of a file. */
const editors: [agent: string, edit: (old: string, added: string) => ToolCall][] = [
	['Claude Code', (old, added) => call('Edit', { file_path: path, old_string: old, new_string: added })],
	['pi', (old, added) => call('edit', { path, oldText: old, newText: added })],
	['Gemini CLI', (old, added) => call('replace', { file_path: path, old_string: old, new_string: added })],
];

type Step = [made: ToolCall, output: string, failed?: boolean];

/** Returns a summary of messages, each with its calls. */
function summaryAfter(...messages: Step[][]): string {
	let seq = 1;
	const sources = messages.flatMap((steps) => [
		assistant(seq++, 'I make the edits.', ...steps.map(([made]) => made)),
		...steps.map(([made, output, failed = false]) => result(seq++, made, output, failed)),
	]);
	return summaryOf([user(0, 'Count the berths.'), ...sources, assistant(seq, 'Made.')], 2000);
}

describe.each(editors)('an edit of %s that failed', (_, edit) => {
	const first = edit('let berths = 3;', 'let berths = countBerths(harbor);');
	const other = edit('let tide = 0;', 'const tide = readTide(station, noon);');

	it('is shown if another edit of the same message passed', () => {
		expect(
			summaryAfter([
				[first, missing, true],
				[other, 'Updated.'],
			]),
		).toContain('not found');
	});

	it('is shown if a later edit wrote something else', () => {
		expect(summaryAfter([[first, missing, true]], [[other, 'Updated.']])).toMatch(
			/not found(?! in file\. \(passed later)/,
		);
	});

	it('is settled if a later edit wrote the same', () => {
		const again = edit('let berths = 4;', 'let berths = countBerths(harbor);');
		expect(summaryAfter([[first, missing, true]], [[again, 'Updated.']])).not.toMatch(
			/not found(?! in file\. \(passed later)/,
		);
	});

	it.each([
		['the same tool', other],
		['a command', call('Bash', { command: `sed -i 's/let berths = 3/let berths = 4/' ${path}` })],
	])('because the file was not read is settled by any later edit with %s', (__, later) => {
		expect(summaryAfter([[first, unread, true]], [[later, 'Updated.']])).not.toMatch(
			/not been read yet(?!.*edited later)/,
		);
	});

	it('because the file was not read is shown if only another file was edited', () => {
		const elsewhere = call('Bash', { command: "sed -i 's/let berths = 3/let berths = 4/' src/tides.ts" });
		expect(summaryAfter([[first, unread, true]], [[elsewhere, '']])).toContain('not been read yet');
	});
});

it('a patch that failed is settled only by a patch with most of its lines', () => {
	const patch = (...added: string[]): ToolCall =>
		call('apply_patch', {
			input: `*** Begin Patch\n*** Update File: ${path}\n@@\n let tide = 0;\n${added.map((line) => `+${line}\n`).join('')}*** End Patch`,
		});
	const lines = [
		'const berths = countBerths(harbor);',
		'const ferries = readFerries(noon);',
		'sail(ferries);',
	];
	const refused = 'apply_patch verification failed: context not found';
	const after = (later: ToolCall): string =>
		summaryAfter([[patch(...lines), refused, true]], [[later, 'Done!']]);
	expect(after(patch(...lines))).not.toMatch(/verification failed(?!.*edited later)/);
	expect(after(patch('sail(ferries);'))).toMatch(/verification failed(?!.*edited later)/);
});

it('a refused edit did not pass itself if another edit took its place', () => {
	const outcome = { failed: true, wasStopped: false, exitCode: undefined, settledBy: user(9, '') };
	expect(renderOutcome({ ...outcome, message: unread })).toMatch(/ \(edited later, #9\)$/);
	expect(renderOutcome({ ...outcome, message: missing })).toMatch(/ \(edited later, #9\)$/);
	expect(renderOutcome({ ...outcome, message: 'FAIL pier' })).toMatch(/ \(passed later, #9\)$/);
});
