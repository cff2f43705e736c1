/** Tests when a later read replaces an earlier read, by the touches of all rows after the earlier read. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LaterTouches } from '../../../server/core/compact/laterTouches.ts';
import type { RowTouch } from '../../../server/core/history/record.ts';
import { createRow, type Row } from '../../../server/core/history/row.ts';

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
	.map((made): RowTouch => ({ ...made, callId: 'c' }));

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
	return createRow(stored, seq, seq, { offset: 0, length: 0, crc: 0 });
}

function endOf({ to }: RowTouch): number {
	return to ?? Number.POSITIVE_INFINITY;
}

/** Reports whether the later read shows every line of the earlier read, by the arguments of the calls. */
function covers(later: RowTouch, earlier: RowTouch): boolean {
	if (later.lastLines !== undefined) {
		return earlier.lastLines !== undefined && later.lastLines >= earlier.lastLines;
	}
	if (earlier.lastLines !== undefined) return (later.from ?? 1) <= 1 && later.to === undefined;
	return (later.from ?? 1) <= (earlier.from ?? 1) && endOf(later) >= endOf(earlier);
}

/** Reports whether an edit may have changed a line that a read shows. */
function overlaps(edit: RowTouch, read: RowTouch): boolean {
	if (edit.lastLines !== undefined || read.lastLines !== undefined) return true;
	return (edit.from ?? 1) <= endOf(read) && (read.from ?? 1) <= endOf(edit);
}

function showsAlone({ shows = [] }: Row): boolean {
	return shows.length > 0 && shows.every(({ mixed }) => !mixed);
}

function isWhole({ kind, from, to, lastLines }: RowTouch): boolean {
	return kind === 'edit' && from === undefined && to === undefined && lastLines === undefined;
}

/** Reports whether a later read shows all lines of a read, by the touches of all later rows. */
function isShownAgain(shown: RowTouch, later: readonly Row[]): boolean {
	return later
		.filter(showsAlone)
		.flatMap(({ shows = [] }) => shows)
		.some((read) => read.path === shown.path && covers(read, shown));
}

/** Reports whether the lines of a read are shown again or edited later, by the touches of all later rows. */
function isOutdated(shown: RowTouch, later: readonly Row[]): boolean {
	const edits = later
		.flatMap(({ touches = [] }) => touches)
		.filter(({ kind, path }) => kind === 'edit' && path === shown.path);
	return isShownAgain(shown, later) || edits.some((edit) => isWhole(edit) || overlaps(edit, shown));
}

/** Returns an empty collection that knows how the calls of all edits ended. */
function laterTouches(holds = true): LaterTouches {
	const later = new LaterTouches();
	later.addOutcome({ answers: 'c', isError: !holds } as Row);
	return later;
}

it('a row counts as shown later if later reads cover it, and as outdated also if later edits touch it', () => {
	fc.assert(
		fc.property(fc.array(row, { maxLength: 8 }), (made) => {
			const rows = made.map(rowFrom);
			const later = laterTouches();
			for (const { seq } of rows.toReversed()) {
				const one = rows[seq] as Row;
				const behind = rows.slice(seq + 1);
				const shows = one.shows ?? [];
				expect(later.isShownLater(one)).toBe(
					showsAlone(one) && shows.every((shown) => isShownAgain(shown, behind)),
				);
				for (const shown of shows) expect(later.isOutdated(shown)).toBe(isOutdated(shown, behind));
				later.addEdits(one);
				later.addShown(one);
			}
		}),
	);
});

/** Reports whether later rows replace the first. */
function overtakes(made: readonly Pick<Row, 'touches' | 'shows'>[]): boolean {
	const rows = made.map(rowFrom);
	const later = laterTouches();
	for (const one of rows.slice(1).reverse()) later.addShown(one);
	return later.isShownLater(rows[0] as Row);
}

const read = (lines: object, path = '/a.ts'): RowTouch => ({ kind: 'read', path, callId: 'c', ...lines });
const edit = (lines: object, path = '/a.ts'): RowTouch => ({ ...read(lines, path), kind: 'edit' });

describe('a later read of the same file', () => {
	it.each<[object, object, boolean]>([
		[{}, {}, true],
		[{}, { from: 5, to: 9 }, true],
		[{ from: 1, to: 2000 }, {}, false],
		[{ from: 1, to: 10 }, { from: 1, to: 10 }, true],
		[{ from: 1, to: 10 }, { from: 5, to: 11 }, false],
		[{ from: 5 }, { from: 6 }, true],
		[{ from: 5 }, { from: 4, to: 6 }, false],
		[{}, { lastLines: 10 }, true],
		[{ from: 2 }, { lastLines: 10 }, false],
		[{ lastLines: 20 }, { lastLines: 10 }, true],
		[{ lastLines: 20 }, { from: 90, to: 99 }, false],
	])('a read of %j replaces a read of %j: %s', (later, earlier, expected) => {
		expect(overtakes([{ shows: [read(earlier)] }, { shows: [read(later)] }])).toBe(expected);
	});

	it('a read does not replace a read of another file', () => {
		expect(overtakes([{ shows: [read({})] }, { shows: [read({}, '/b.ts')] }])).toBe(false);
	});

	it('a read does not replace a message that also shows another file', () => {
		expect(overtakes([{ shows: [read({}), read({}, '/b.ts')] }, { shows: [read({})] }])).toBe(false);
	});
});

describe('an edit that is followed by a read of other lines', () => {
	it.each<[object, object, boolean]>([
		[{}, { from: 5, to: 9 }, true],
		[{ from: 10 }, { from: 5, to: 9 }, false],
		[{ from: 9 }, { from: 5, to: 9 }, true],
		[{ from: 9 }, { lastLines: 2 }, true],
	])(
		'an edit of %j makes a read of %j outdated, but does not replace it: %s',
		(edited, earlier, expected) => {
			const later = [{ touches: [edit(edited)] }, { shows: [read({ from: 3, to: 4 })] }].map(rowFrom);
			const collect = (holds: boolean): LaterTouches => {
				const touches = laterTouches(holds);
				for (const one of later.toReversed()) {
					touches.addEdits(one);
					touches.addShown(one);
				}
				return touches;
			};
			expect(collect(true).isOutdated(read(earlier))).toBe(expected);
			expect(collect(false).isOutdated(read(earlier))).toBe(false);
			expect(collect(true).isShownLater(rowFrom({ shows: [read(earlier)] }, 0))).toBe(false);
		},
	);

	it('an edit does not make a read of another file outdated', () => {
		const touches = laterTouches();
		touches.addEdits(rowFrom({ touches: [edit({}, '/b.ts')] }, 0));
		expect(touches.isOutdated(read({}))).toBe(false);
	});
});
