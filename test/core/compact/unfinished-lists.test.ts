import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const dishes = ['soup', 'bread', 'trout', 'salad', 'pears', 'cheese'];
const plates = dishes.map((dish, index) => ({
	dish,
	plate_id: `P-${7301 + index}`,
	price: 4.5 + index,
	served: {
		hall: `hall ${index} at the river`,
		by: `waiter ${index}`,
		course: `course ${index} of the evening`,
	},
}));

/** Results that list the dishes, in several forms. */
const results: Record<string, unknown> = {
	'a list in a record': { order_id: 'T-88', plates },
	'a map in a record': {
		order_id: 'T-88',
		plates: Object.fromEntries(plates.map((one) => [one.plate_id, one])),
	},
	'a list of records': plates,
	'a list of records in an object': { total: 6, plates },
};

function lookUp(value: unknown): Source[] {
	const made = call('get_order', { order_id: 'T-88' });
	const row = { seq: 3, id: 'id-3', tool: made.name, answers: made.id };
	const content = [{ type: 'text' as const, text: JSON.stringify(value) }];
	const message = { id: 'id-3', role: 'tool' as const, toolCallId: made.id, toolName: made.name, content };
	return [user(1, 'What did we order?'), assistant(2, '', made), createSource(row, message)];
}

/** Returns the lines that a summary shows of the message with the dishes, for budgets that show some or all of them. */
function listShownLines(sources: readonly Source[]): { lines: string[]; shownCount: number }[] {
	return Array.from({ length: 60 }, (_, step) => {
		const text = summaryOf(sources, 80 + 20 * step);
		const lines = text.split('\n').filter((line) => dishes.some((dish) => line.includes(dish)));
		return { lines, shownCount: dishes.filter((dish) => text.includes(dish)).length };
	}).filter(({ shownCount }) => shownCount > 0);
}

describe.each(Object.entries(results))('%s', (_, value) => {
	const views = listShownLines(lookUp(value));

	it('ends with a mark in each summary that omits some of its elements', () => {
		const partial = views.filter(({ shownCount }) => shownCount < dishes.length);
		expect(partial.length).toBeGreaterThan(0);
		for (const { lines } of partial) expect(lines.some((line) => line.endsWith(' …'))).toBe(true);
	});

	it('has no mark in a summary that shows it whole', () => {
		const { lines, shownCount } = views.at(-1) ?? { lines: [], shownCount: 0 };
		expect(shownCount).toBe(dishes.length);
		expect(lines.join('\n')).not.toContain('…');
	});
});

describe.each([
	['with bullets', (dish: string) => `- ${dish} for the table at the river`],
	['with numbers', (dish: string, index: number) => `${index + 1}. **${dish}** for the table at the river`],
])("a list of the agent's %s", (_, render) => {
	const list = `These are your dishes:\n\n${dishes.map(render).join('\n')}\n\nWhich one do you want to change?`;
	const views = listShownLines([
		user(1, 'What did we order?'),
		assistant(2, list),
		user(3, 'That sounds fine, thank you.'),
	]);

	it('ends with a mark in each summary that omits its last items', () => {
		const cut = views.filter(({ lines }) => !lines.some((line) => line.includes('cheese')));
		expect(cut.length).toBeGreaterThan(0);
		for (const { lines } of cut) expect(lines.at(-1)).toMatch(/ …$/);
	});

	it('has no mark in a summary that shows it whole', () => {
		expect(views.at(-1)?.lines).toHaveLength(dishes.length);
		expect(views.at(-1)?.lines.join('\n')).not.toContain('…');
	});
});
