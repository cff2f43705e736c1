import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ToolCall } from '../../../server/protocol/conversation.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const works = [
	'survey',
	'drawing',
	'permit',
	'tender',
	'dredging',
	'piling',
	'decking',
	'wiring',
	'painting',
];
const listTasks = (part: number): string[] =>
	works.map(
		(work, index) =>
			`- [ ] W${part}${index} Plan the ${work} of pier ${part} in harbour/pier_${part}/${work}.md with its costs`,
	);
const parts = [1, 2, 3, 4, 5, 6, 7, 8];
const plan = parts
	.flatMap((part) => [`## Phase ${part}: Pier ${part}`, '', ...listTasks(part), ''])
	.join('\n');
const boldPlan = parts.flatMap((part) => [`**Phase ${part}**`, ...listTasks(part)]).join('\n');
const numbered = plan
	.split('\n')
	.map((line, index) => `${String(index + 1).padStart(6)}\u2192${line}`)
	.join('\n');

/** Returns the number of tasks of each part that a small summary shows. */
function countTasks(request: string, read: ToolCall, text: string): number[] {
	const filler = (seq: number): Source[] =>
		Array.from({ length: 30 }, (_, index) =>
			assistant(seq + index, `Gauge ${index} was read, it took ${index} ms because gauge ${index} was wet.`),
		);
	const summary = summaryOf(
		[user(1, request), assistant(2, '', read), result(3, read, text), ...filler(4)],
		900,
	);
	return parts.map((part) => new Set(summary.match(new RegExp(`W${part}\\d`, 'g'))).size);
}

describe('parts of a plan that a request names', () => {
	const shell = call('exec_command', { cmd: 'cat harbour/tasks.md' });
	const read = call('Read', { file_path: '/srv/harbour/tasks.md' });

	it.each([
		['headings', shell, plan],
		['bold headings', shell, boldPlan],
		['headings with line numbers', read, numbered],
	])('tasks below %s are shown before those of other parts', (_, made, text) => {
		const counts = countTasks('Go on with phase 4.', made, text);
		expect(counts[3]).toBeGreaterThan(5);
		expect(Math.max(...counts.filter((__, index) => index !== 3))).toBeLessThan(5);
	});

	it.each(['Go on with the plan.', 'Go on with phase 14.', 'Go on with phase 4.2.'])(
		'no part is preferred if the request names none of them: %s',
		(request) => {
			const counts = countTasks(request, shell, plan);
			expect(counts[3]).toBeLessThan(5);
		},
	);
});
