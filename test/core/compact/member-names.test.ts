import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { assistant, call, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

type Row = Record<string, unknown>;

const formats: [name: string, format: (rows: readonly Row[]) => ChatMessage['content']][] = [
	['JSON', (rows) => JSON.stringify(rows)],
	['JSON in an object', (rows) => JSON.stringify({ total: rows.length, berths: rows })],
	['a content part of MCP', (rows) => [{ type: 'text', text: JSON.stringify(rows, null, 2) }]],
	['a JSON object a line', (rows) => rows.map((row) => JSON.stringify(row)).join('\n')],
];

const first = {
	berth_id: 'KD-71',
	quay: 'north',
	depth_m: 7,
	price: { day: 48, week: 290 },
	boats: [{ name: 'Tern', flag: 'NO' }],
	power: true,
};
const second = {
	...first,
	berth_id: 'KD-72',
	quay: 'south wall',
	price: { day: 39, week: 240 },
	boats: [
		{ name: 'Gull', flag: 'DK' },
		{ name: 'Skua', flag: 'SE' },
	],
};

/** Returns a session with one call for each result. */
function lookUp(...results: ChatMessage['content'][]): Source[] {
	return [
		user(1, 'Which berths are free?'),
		...results.flatMap((content, index) => {
			const made = call('list_berths', { page: index });
			const row = { seq: 2 * index + 3, id: `id-${index}`, tool: made.name, answers: made.id };
			const answer = createSource(row, { id: row.id, role: 'tool', toolCallId: made.id, content });
			return [assistant(2 * index + 2, '', made), answer];
		}),
	];
}

function recordsIn(sources: readonly Source[]): string {
	return sectionIn(summaryOf(sources), 'records');
}

describe.each(formats)('names of members in %s', (_, format) => {
	it('are shown once for two rows of a result', () => {
		const records = recordsIn(lookUp(format([first, second])));
		expect(records).toContain('KD-71: quay north, depth_m 7, price {day 48, week 290}');
		expect(records).toContain('KD-72 (names as in KD-71): south wall, 7, {39, 240}, Gull DK; Skua SE, true');
		expect(records.match(/depth_m/g)).toHaveLength(1);
	});

	it('are shown once for rows of two results', () => {
		const records = recordsIn(lookUp(format([first, first]), format([second, second])));
		expect(records).toContain('KD-72 (names as in KD-71): south wall, 7');
	});

	it('are shown once for the first members of rows that end differently', () => {
		const { boats, power, ...start } = second;
		const records = recordsIn(lookUp(format([first, { ...start, lift: 'yes', power, boats }])));
		expect(records).toContain(
			'KD-72 (names as in KD-71): south wall, 7, {39, 240}, lift yes, power true, boats',
		);
		const longer = recordsIn(lookUp(format([start, { ...first, lift: 'yes' }])));
		expect(longer).toContain(
			'KD-71 (names as in KD-72): north, 7, {48, 290}, boats [{name Tern, flag NO}], power',
		);
	});

	it('are shown for rows with fewer than three equal names at their start', () => {
		const { quay, depth_m, ...rest } = second;
		const records = recordsIn(lookUp(format([first, { quay, depth_m, lift: 'yes', ...rest }])));
		expect(records).toContain('KD-72: quay south wall, depth_m 7, lift yes');
	});

	it('are shown for rows with other members or another order of members', () => {
		const { quay, ...rest } = second;
		const records = recordsIn(lookUp(format([first, { ...rest, quay, lift: 'yes' }])));
		expect(records).toContain('KD-72: depth_m 7');
		expect(records).toContain('lift yes');
		expect(records).not.toContain('names as in');
	});
});

it('names of members are shown again if the row that shows them appeared before with other members', () => {
	const prices = { price: 48, deposit: 100, currency_unit: 'NOK' };
	const later = [
		{ berth_id: 'KD-72', ...prices },
		{ berth_id: 'KD-71', ...prices, price: 39 },
	];
	const records = recordsIn(lookUp(JSON.stringify([first, second]), JSON.stringify(later)));
	expect(records).toContain('KD-72 (names as in KD-71): south wall');
	expect(records).toContain('KD-71: price 39, deposit 100');
});

it('names of members are shown for a row whose id is missing', () => {
	const rows = [
		{ quay: 'north wall of the old harbour', depth_m: 7, price: 48 },
		{ quay: 'south wall of the old harbour', depth_m: 9, price: 39 },
	];
	expect(recordsIn(lookUp(JSON.stringify({ a: rows[0], b: rows[1] })))).not.toContain('names as in');
});

it('a row whose members continue in a second line needs only the names of its first line', () => {
	const wideOf = (letter: string) =>
		Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`column_${n}`, `${letter.repeat(18)}${n}`]));
	const rows = [
		{ berth_id: 'KD-1', ...wideOf('v') },
		{ berth_id: 'KD-2', ...wideOf('u'), column_1: 'w'.repeat(40) },
	];
	const records = recordsIn(lookUp(JSON.stringify(rows)));
	expect(records).toMatch(/KD-2 \(names as in KD-1\): u+0, w+, u+2/);
});

it('a long value that the row with the names has, too, is a ditto mark', () => {
	const berth = { owner: 'maja_hansen_4417', quay: 'north', depth: 7 };
	const rows = [
		{ berth_id: 'KD-1', ...berth },
		{ berth_id: 'KD-2', ...berth, depth: 9 },
	];
	const records = recordsIn(lookUp(JSON.stringify(rows)));
	expect(records).toContain('KD-2 (names and ″ as in KD-1): ″, north, 9');
});

it('the values of any rows appear in the summary, in the order of the names', () => {
	const cell = fc.oneof(fc.integer({ min: 100, max: 99_999 }), fc.stringMatching(/^[a-z]{4,9}$/));
	const row = fc.record({ quay: cell, depth: cell, price: cell, power: cell });
	fc.assert(
		fc.property(fc.array(row, { minLength: 2, maxLength: 6 }), (rows) => {
			const withIds = rows.map((one, index) => ({ berth_id: `KD-${index}`, ...one }));
			const records = recordsIn(lookUp(JSON.stringify(withIds)));
			for (const { berth_id, quay, depth, price, power } of withIds) {
				const full = `${berth_id}: quay ${quay}, depth ${depth}, price ${price}, power ${power}`;
				const short = `${berth_id} (names as in KD-0): ${quay}, ${depth}, ${price}, ${power}`;
				expect(records).toContain(berth_id === 'KD-0' ? full : short);
			}
		}),
	);
});
