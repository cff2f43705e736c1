import { describe, expect, it } from 'vitest';
import { readableJson } from '../../../server/core/compact/thread/json.ts';
import { processorClock } from '../../support/processorClock.ts';

const booking = {
	id: 'K7Q2',
	cabin: 'economy',
	note: '',
	upgrades: [],
	insurance: null,
	legs: Array.from({ length: 9 }, (_, index) => ({ from: `A${index}`, to: `B${index}`, price: 100 + index })),
};

describe('a JSON result', () => {
	it('is read as lines of whole objects', () => {
		const { text, structured } = readableJson(JSON.stringify(booking));
		expect(structured).toBe(true);
		for (let index = 0; index < 9; index++)
			expect(text).toContain(`{from: A${index}, to: B${index}, price: ${100 + index}}`);
		for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(280);
	});

	it('says once what all objects of a list have alike', () => {
		const flights = Array.from({ length: 3 }, (_, index) => ({
			number: `HX${index}1`,
			from: 'OSL',
			to: 'VIE',
			status: 'available',
			seats: { economy: index, business: 9 - index },
		}));
		expect(readableJson(JSON.stringify(flights)).text.split('\n')).toEqual([
			'each: from: OSL, to: VIE, status: available',
			'[{number: HX01, seats: {economy: 0, business: 9}}, {number: HX11, seats: {economy: 1, business: 8}}, {number: HX21, seats: {economy: 2, business: 7}}]',
		]);
	});

	it('keeps members apart that are called like those that every object has', () => {
		const rows = Array.from({ length: 4 }, (_, index) => ({
			constructor: `maker ${index} of the north and the south`,
			place: 'the same for all of them, wherever they may stand',
		}));
		const { text } = readableJson(JSON.stringify(rows));
		for (const row of rows) expect(text).toContain(String(row.constructor));
	});

	it('tells of a long object first what is short', () => {
		const [first = ''] = readableJson(
			JSON.stringify({ ...booking, paid: { card: 'visa 7711', amount: 480 } }),
		).text.split('\n');
		expect(first).toBe('id: K7Q2, cabin: economy, paid: {card: visa 7711, amount: 480}');
	});

	it('is read so behind what a shell tool says of its command', () => {
		const said = 'Chunk ID: 49f2\nWall time: 0.4 seconds\nProcess exited with code 0\nOutput:\n';
		const { text, structured } = readableJson(said + JSON.stringify(booking, null, 2));
		expect(structured).toBe(true);
		expect(text).toBe(said + readableJson(JSON.stringify(booking)).text);
		const log = `${said}[info] began\n${'[info] went on with the rows\n'.repeat(9)}`;
		expect(readableJson(log)).toEqual({ text: log, structured: false });
	});

	it('says nothing of links that only lengthen another one', () => {
		const url = 'https://api.example.com/rows/7';
		const row = {
			url,
			notes_url: `${url}/notes{/id}`,
			tags_url: `${url}/tags`,
			page: 'https://example.com/7',
		};
		const { text } = readableJson(JSON.stringify({ row, next: `${url}7`, title: 'The seventh of all rows' }));
		expect(text).toContain('row: {url: "https://api.example.com/rows/7", page: "https://example.com/7"}');
		expect(text).toContain('rows/77');
		expect(text).not.toMatch(/notes|tags/);
	});

	it('is read at once, however many links it has', () => {
		const links = Array.from({ length: 7000 }, (_, index) => [`k${index}`, `https://a/${index}`]);
		const spent = processorClock();
		expect(readableJson(JSON.stringify(Object.fromEntries(links))).structured).toBe(true);
		expect(spent()).toBeLessThan(1500);
	});

	it('stays as it is where it is nested deeper than anybody reads', () => {
		const [open, close] = ['{"a":['.repeat(5000), ']}'.repeat(5000)];
		const text = `${open}"The rows are imported one by one, each in its own transaction."${close}`;
		expect(readableJson(text)).toEqual({ text, structured: false });
	});

	it('says nothing of what is empty', () => {
		expect(readableJson(JSON.stringify(booking)).text).not.toMatch(/note|upgrades|insurance|null/);
	});
});
