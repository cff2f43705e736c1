/** Columns that are kept between compactions equal columns that are computed from all rows. */

import { expect, it } from 'vitest';
import { addRows, createRowColumns, lastUserIndex } from '../../../server/core/compact/rowColumns.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { appendMessages } from '../../../server/session/append.ts';
import { remeasure } from '../../../server/session/remeasure.ts';
import type { Session } from '../../../server/session/session.ts';
import { apply, row, stateWith } from '../../support/rows.ts';
import { sessionWith, testWorld } from '../../support/world.ts';

/** Two parallel calls; the user's message between their results joins the batch. */
const calls: ChatMessage[] = [
	{ role: 'user', content: 'Look at both files.' },
	{
		role: 'assistant',
		content: '',
		toolCalls: ['a', 'b'].map((id) => ({ id, name: 'Read', args: { file_path: `/repo/${id}.ts` } })),
	},
	{ role: 'tool', toolCallId: 'a', toolName: 'Read', content: 'export const a = 1;\n'.repeat(20) },
];
const late: ChatMessage[] = [
	{ role: 'user', content: 'And hurry.' },
	{ role: 'tool', toolCallId: 'b', toolName: 'Read', content: 'export const b = 2;\n'.repeat(20) },
	{ role: 'assistant', content: 'Both export a constant.' },
];

function takenOf({ state }: Session, columns = createRowColumns()) {
	addRows(columns, state.units, 0, state.units.length);
	const { length } = state.units;
	const { kinds, batches, tokens, tools, digests } = columns;
	return [kinds, batches, tokens, tools, digests].map((column) => [...column.subarray(0, length)]);
}

it('rows that a later result joins to a batch are read again', async () => {
	const session = await sessionWith(testWorld(), calls);
	const columns = createRowColumns();
	const before = takenOf(session, columns);
	await appendMessages(session, late, 'contextd', { client: session.client });
	const after = takenOf(session, columns);
	expect(after).toEqual(takenOf(session));
	expect(after[1]).toEqual([0, 1, 1, 1, 1, 5]);
	expect(before[1]).toEqual([0, 1, 1]);
});

it('recounted rows are read again, however old', async () => {
	const world = testWorld();
	const filler = Array.from({ length: 200 }, (_, index): ChatMessage => {
		return { role: 'assistant', content: `Step ${index} is done, and the next one begins.` };
	});
	const session = await sessionWith(world, [...calls, ...late, ...filler]);
	const columns = createRowColumns();
	const before = takenOf(session, columns);
	world.configure({ estimator: 'calibrated' });
	await remeasure(session);
	const after = takenOf(session, columns);
	expect(after).toEqual(takenOf(session));
	expect(after[2]).not.toEqual(before[2]);
});

it('lastUserIndex finds the last user row among rows with gaps', () => {
	const roles = ['user', 'assistant', 'assistant', 'user', 'assistant'] as const;
	const all = Array.from({ length: 60 }, (_, index) =>
		row(`m${index}`, { role: roles[(index * index + 3) % roles.length] }),
	);
	const { rows, units } = apply(stateWith(), { t: 'append', at: 1, rows: all });
	const columns = createRowColumns();
	addRows(columns, units, 0, units.length);
	for (const step of [1, 2, 3, 7]) {
		const some = rows.filter((_, index) => index % 11 < 6 || index % step === 0);
		for (let last = -1; last < some.length; last++) {
			const expected = some.slice(0, last + 1).findLastIndex(({ role }) => role === 'user');
			expect(lastUserIndex(columns, some, last)).toBe(expected);
		}
	}
});
