import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const path = 'specs/harbour/tasks.md';
const items = ['T1 Draw the quay', 'T2 Hang the lanterns', 'T3 Paint the boats', 'T4 Sound the horn'];
const listOf = (tickedCount: number): string =>
	items.map((item, index) => `- [${index < tickedCount ? 'x' : ' '}] ${item}`).join('\n');

/** Returns the plan in a summary of calls, each with its result. */
function planAfter(...made: [call: ToolCall, output?: string, failed?: boolean][]): string {
	const sources = made.flatMap(([one, output = 'Done.', failed = false], index): Source[] => [
		assistant(2 + 2 * index, '', one),
		result(3 + 2 * index, one, output, failed),
	]);
	const end = assistant(100, 'The harbour is not done yet.');
	return sectionIn(summaryOf([user(1, 'Build the harbour.'), ...sources, end], 3000), 'plan');
}

const write = call('Write', { file_path: `/w/${path}`, content: `# Tasks\n\n${listOf(0)}` });
const read = call('Read', { file_path: `/w/${path}` });
const tick = (index: number): ToolCall =>
	call('Edit', {
		file_path: `/w/${path}`,
		old_string: `- [ ] ${items[index]}`,
		new_string: `- [x] ${items[index]}`,
	});
const patch = (lines: string): string =>
	`*** Begin Patch\n*** Update File: ${path}\n@@\n${lines}\n*** End Patch`;
const tickInPatch = (index: number): string => patch(`-- [ ] ${items[index]}\n+- [X] ${items[index]}`);

describe('a plan that the agent keeps in a file', () => {
	it.each([
		['edits', [tick(0)], [tick(1)]],
		['a list of edits', [call('MultiEdit', { file_path: path, edits: [tick(0).args, tick(1).args] })]],
		[
			'patches',
			[call('apply_patch', { input: tickInPatch(0) })],
			[call('apply_patch', { input: tickInPatch(1) })],
		],
		[
			'patches in commands',
			[call('shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${tickInPatch(0)}\nEOF`] })],
			[call('shell', { command: ['bash', '-lc', `apply_patch <<'EOF'\n${tickInPatch(1)}\nEOF`] })],
		],
	] as [string, ...[ToolCall][]][])('shows the items that are not ticked, in %s', (_, ...made) => {
		const plan = planAfter([write], ...made);
		expect(plan).toMatch(
			/^- \(\S*specs\/harbour\/tasks\.md, changed last in #\d: 2 of 4 items are ticked\)\n/,
		);
		expect(plan).toContain(`\n- ${items[2]}\n- ${items[3]}`);
		expect(plan).not.toContain('Draw the quay');
	});

	it('is known from a result that shows the file', () => {
		const shown = listOf(1)
			.split('\n')
			.map((line, index) => `${index + 1}\t${line}`)
			.join('\n');
		expect(planAfter([read, shown], [tick(1)])).toContain('2 of 4 items are ticked)');
	});

	it('is not shown before the agent ticks an item, and after the last one', () => {
		expect(planAfter([write])).toBe('');
		expect(planAfter([write], ...items.map((_, index): [ToolCall] => [tick(index)]))).toBe('');
	});

	it('does not count items that a failed edit ticks', () => {
		expect(planAfter([write], [tick(0)], [tick(1), 'String to replace not found in file.', true])).toContain(
			'1 of 4 items are ticked',
		);
	});

	it.each([
		['a command rewrote the file', call('Bash', { command: `sed -i 's/\\[ \\]/[x]/' ${path}` })],
		['git restored the file', call('Bash', { command: 'git checkout .' })],
		['the file was removed', call('Bash', { command: `rm ${path}` })],
		['its folder was removed', call('Bash', { command: 'rm -rf specs' })],
	])('is unknown after %s', (_, change) => {
		expect(planAfter([write], [tick(0)], [change])).toBe('');
	});

	it('gives way to an open plan of a tool', () => {
		const todos = call('TodoWrite', { todos: [{ content: 'Dig the basin', status: 'pending' }] });
		const plan = planAfter([write], [tick(0)], [todos]);
		expect(plan).toContain('- Dig the basin');
		expect(plan).not.toContain('Hang the lanterns');
	});
});
