import { describe, expect, it } from 'vitest';
import { renderJson } from '../../../server/core/analysis/message/json.ts';

const answer =
	'The tide turns at noon.\n\nThe ferry waits for it at the second pier, which is free until then.';

describe('answers that JSON only wraps', () => {
	it.each([
		['a block of text', { type: 'text', text: answer }],
		['a list of one block', [{ type: 'text', text: answer }]],
		['a text with a value', { type: 'output_text', text: { value: answer, annotations: [] } }],
	])('are read as plain text: %s', (_, value) => {
		expect(renderJson(JSON.stringify(value))).toEqual({ text: answer });
	});

	it.each([
		['two texts', [{ text: answer }, { text: answer }]],
		['a text of an object with an id', { id: 'C-7', path: 'src/berths.ts', body: answer }],
		['a text next to as much data', { text: answer, rows: Array.from({ length: 40 }, (_, no) => no * 1000) }],
		['a text on one line', { text: answer.replaceAll('\n', ' ') }],
	])('data stays data: %s', (_, value) => {
		expect(renderJson(JSON.stringify(value)).rows).toBeDefined();
	});

	it.each(['\n<shellId: 0 completed with exit code 0>', '\n[The command completed with exit code 0.]'])(
		'the line of a tool after JSON does not hide its rows: %s',
		(footer) => {
			const rows = renderJson(
				`${JSON.stringify({ booking_id: 'K7Q2', seat: '14B', price: 480, travellers: 'two adults and a dog, with a bicycle' })}${footer}`,
			).rows;
			expect(rows?.map(({ id }) => id)).toEqual(['K7Q2']);
		},
	);
});
