import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { call, done, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const todo = (content: string, status: string) => ({ content, status });
const listOf = (...todos: ReturnType<typeof todo>[]) => call('todowrite', { todos });
const edit = (name: string) =>
	call('edit', { filePath: `/shop/src/${name}.ts`, oldString: 'a = 1', newString: 'a = 2' });

/** Returns the section of the plan in a summary. */
function planOf(...sources: Source[]): string {
	return sectionIn(summaryOf(sources), 'plan');
}

describe('a list of todo items', () => {
	const first = listOf(todo('Fix the alert', 'completed'), todo('Fix the modal', 'pending'));
	const second = listOf(todo('Draw the demo page', 'completed'));

	it('that another request replaced keeps its open items in view', () => {
		expect(
			planOf(
				user(1, 'Fix all components.'),
				...done(2, [first]),
				user(4, 'Draw a demo.'),
				...done(5, [second]),
			),
		).toBe(
			'- done, 1 of 1: Draw the demo page\n- not ticked off in the list of #2, which #5 replaced: Fix the modal',
		);
	});

	it.each([
		['the agent replaced it without a request', [...done(2, [first]), ...done(5, [second])]],
		[
			'the later list has one of its items',
			[
				...done(2, [first]),
				user(4, 'Go on.'),
				...done(5, [listOf(todo('Fix the modal', 'completed'), todo('Test it', 'completed'))]),
			],
		],
		[
			'the later list has the item with a number',
			[
				...done(2, [first]),
				user(4, 'Go on.'),
				...done(5, [listOf(todo('1. Fix the modal', 'completed'), todo('2. Test it', 'completed'))]),
			],
		],
		[
			'the agent emptied the list',
			[...done(2, [first]), user(4, 'Fix the modal.'), ...done(5, [listOf()]), ...done(7, [second])],
		],
	])('is no longer shown if %s', (_, sources) => {
		expect(planOf(user(1, 'Fix all components.'), ...sources)).not.toContain('replaced');
	});

	it('that is done says that the current request is newer', () => {
		expect(planOf(user(1, 'Draw a demo.'), ...done(2, [second]), user(4, 'Now load its pictures.'))).toBe(
			'- done before the current request, 1 of 1: Draw the demo page',
		);
	});

	it('says how many edits are newer than the list', () => {
		const list = listOf(todo('Fix the alert', 'in_progress'), todo('Fix the modal', 'pending'));
		const text = planOf(
			user(1, 'Fix all components.'),
			...done(2, [list]),
			...done(4, [edit('alert')]),
			...done(6, [edit('modal')]),
		);
		expect(text).toContain('(kept with the tool todowrite, changed last in #2, before the last 2 edits)');
	});
});
