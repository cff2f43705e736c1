/** Whether a later read stands for an earlier one is told by columns as it would be told by the touches themselves. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
	createTouchColumns,
	filesLater,
	isShownLater,
	noteEdits,
	noteShown,
	takeTouches,
	widenRows,
} from '../../../server/core/compact/touchColumns.ts';
import { covers, overlaps } from '../../../server/core/files/touches/lineRange.ts';
import type { RowTouch } from '../../../server/core/history/record.ts';
import { type Row, rowOf } from '../../../server/core/history/row.ts';

const line = fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined });

const touch = fc
	.record({
		kind: fc.constantFrom('read' as const, 'edit' as const),
		path: fc.constantFrom('/a.ts', '/b.ts'),
		from: line,
		to: line,
		lastLines: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined, freq: 4 }),
		mixed: fc.constantFrom(undefined, undefined, true as const),
	})
	.map((made): RowTouch => ({ ...made, callId: 'call' }));

const row = fc.record({
	touches: fc.array(touch, { maxLength: 2 }),
	shows: fc.array(
		touch.map((one): RowTouch => ({ ...one, kind: 'read' })),
		{ maxLength: 2 },
	),
});

function rowFrom({ touches, shows }: Pick<Row, 'touches' | 'shows'>, seq: number): Row {
	const counts = { text: 1, calls: 0, images: 0 };
	const stored = {
		id: `${seq}`,
		role: 'tool' as const,
		counts,
		digest: '',
		chars: 1,
		body: 0,
		touches,
		shows,
	};
	return rowOf(stored, seq, seq, { offset: 0, length: 0, crc: 0 });
}

function showsAlone({ shows = [] }: Row): boolean {
	return shows.length > 0 && shows.every(({ mixed }) => !mixed);
}

function isWhole({ kind, from, to, lastLines }: RowTouch): boolean {
	return kind === 'edit' && from === undefined && to === undefined && lastLines === undefined;
}

/** By the touches of all rows behind it, whether what a row shows is shown again or was edited since and read again. */
function isOvertaken(shown: RowTouch, later: readonly Row[]): boolean {
	const reads = later
		.filter(showsAlone)
		.flatMap(({ shows = [] }) => shows)
		.filter(({ path }) => path === shown.path);
	const edits = later
		.flatMap(({ touches = [] }) => touches)
		.filter(({ kind, path }) => kind === 'edit' && path === shown.path);
	if (reads.length === 0) return false;
	return (
		edits.some((edit) => isWhole(edit) || overlaps(edit, shown)) || reads.some((read) => covers(read, shown))
	);
}

it('what a row shows is overtaken in columns where its touches say so', () => {
	fc.assert(
		fc.property(fc.array(row, { maxLength: 8 }), (made) => {
			const rows = made.map(rowFrom);
			const columns = createTouchColumns();
			widenRows(columns, rows.length);
			for (const one of rows) takeTouches(columns, one);
			const later = filesLater(columns);
			for (const { seq } of rows.toReversed()) {
				const one = rows[seq] as Row;
				const behind = rows.slice(seq + 1);
				const isOver = showsAlone(one) && (one.shows ?? []).every((shown) => isOvertaken(shown, behind));
				expect(isShownLater(later, seq)).toBe(isOver);
				noteEdits(later, seq, () => true);
				noteShown(later, seq);
			}
		}),
	);
});

it('an edit that does not hold overtakes nothing', () => {
	const read: RowTouch = { kind: 'read', path: '/a.ts', callId: 'call', from: 1, to: 2 };
	const other: RowTouch = { ...read, from: 7, to: 9 };
	const edit: RowTouch = { ...read, kind: 'edit' };
	const rows = [{ shows: [read] }, { touches: [edit] }, { shows: [other] }].map(rowFrom);
	const overtaken = (holds: boolean): boolean => {
		const columns = createTouchColumns();
		widenRows(columns, rows.length);
		for (const one of rows) takeTouches(columns, one);
		const later = filesLater(columns);
		noteShown(later, 2);
		noteEdits(later, 1, () => holds);
		return isShownLater(later, 0);
	};
	expect(overtaken(true)).toBe(true);
	expect(overtaken(false)).toBe(false);
});
