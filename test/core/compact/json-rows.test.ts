import { describe, expect, it } from 'vitest';
import { renderJson } from '../../../server/core/analysis/message/json.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';

const booking = {
	id: 'K7Q2',
	cabin: 'economy',
	note: '',
	upgrades: [],
	insurance: null,
	legs: Array.from({ length: 9 }, (_, index) => ({ from: `A${index}`, to: `B${index}`, price: 100 + index })),
};

function rowsIn(value: unknown) {
	return renderJson(JSON.stringify(value)).rows ?? [];
}

describe('reading JSON results', () => {
	it('a JSON result is read as lines that each name the id of their object', () => {
		const { text, rows } = renderJson(JSON.stringify(booking));
		expect(rows?.map(({ id, idName }) => [id, idName])).toEqual([['K7Q2', 'id']]);
		for (const line of text.split('\n')) {
			expect(line).toMatch(/^K7Q2(?: legs \(from to price\))?: /);
			expect(line.length).toBeLessThanOrEqual(280);
		}
		for (let index = 0; index < 9; index++) expect(text).toContain(`A${index} B${index} ${100 + index}`);
	});

	it.each([
		['{"booking":"QX4TLB","status":"confirmed"}', '{"booking":"QX4TLB","status":"confirmed"}'],
		['{\n  "booking": "QX4TLB",\n  "status": "open"\n}\n', '{ "booking": "QX4TLB", "status": "open" }'],
		['{\r\n\t"id": 12345678901234567890\r\n}', '{ "id": 12345678901234567890 }'],
		['[\n  "a\\n b"\n]', '[ "a\\n b" ]'],
		['{\n  not: "JSON"\n}', '{\n  not: "JSON"\n}'],
	])('a short JSON result is read as one line: %j', (text, line) => {
		expect(renderJson(text)).toEqual({ text: line });
	});

	it('an object that only wraps an object with an id is part of it', () => {
		const edges = [
			{ cursor: 'c1', node: { id: 'N1', title: 'Lamp' } },
			{ cursor: 'c2', node: { id: 'N2', title: 'Rope' } },
		];
		const lines = rowsIn({ id: 'list-of-all-open-orders-of-this-guest', total: 2, edges }).flatMap(
			(row) => row.lines,
		);
		expect(lines).toEqual([
			'list-of-all-open-orders-of-this-guest: total 2, edges [N1, N2]',
			'list-of-all-open-orders-of-this-guest edges N1: cursor c1, title Lamp',
			'list-of-all-open-orders-of-this-guest edges N2: cursor c2, title Rope',
		]);
	});

	it.each([
		['has a name of its own', { path: 'src/rows.ts', item: { id: 7, name: 'shop' } }],
		['has members with the same names', { state: 'open', node: { id: 7, state: 'closed' } }],
		['only mentions it', { body: 'Looks good.', author: { id: 7, login: 'ada' } }],
	])('an object is not part of an object that %s', (_, one) => {
		const lines = rowsIn({ id: 'list-of-all-open-orders-of-this-guest', total: 2, list: [one, one] }).flatMap(
			(row) => row.lines,
		);
		expect(lines.join('\n')).not.toContain('list 7');
		for (const word of ['7', ...Object.values(one).filter((value) => typeof value === 'string')])
			expect(lines.join('\n')).toContain(word);
	});

	it('rows below an object with a UUID repeat only its first group', () => {
		const id = '7c0e1b52-30aa-4f19-9d2e-5b6f0a1c2d3e';
		const lines = rowsIn({ id, items: [{ id: 'N1', title: 'Lamp' }] }).flatMap((row) => row.lines);
		expect(lines).toEqual([`${id}: items [N1]`, '7c0e1b52… items N1: title Lamp']);
	});

	it('a long text in a row is read as lines of whole sentences', () => {
		const sentences = Array.from(
			{ length: 9 },
			(_, n) => `The gauge at mile ${n} froze in the night of the storm.`,
		);
		const [row] = rowsIn({ id: 'R-9', body: sentences.join(' ') });
		expect(row?.lines.length).toBeGreaterThan(1);
		for (const line of row?.lines ?? []) expect(line).toMatch(/^R-9 body: The .*\.$/);
		for (const sentence of sentences) expect(row?.lines.join('\n')).toContain(sentence);
	});

	it('a long text in a row keeps its headings and every line of its code', () => {
		const code = `const rows = [${'17, '.repeat(100)}17];`;
		const [row] = rowsIn({
			id: 'R-9',
			body: `## Steps to see it\n\`\`\`\n${code}\n}\n\`\`\`\nIt loses rows.`,
		});
		expect(row?.lines.join('\n')).toContain('R-9 body: ## Steps to see it');
		expect(row?.lines.join('\n')).toContain(code);
	});

	it('each object with an id becomes a row, at any depth', () => {
		const order = {
			data: {
				total: 2,
				orders: [
					{
						order_number: 'A-17',
						state: 'open',
						items: [
							{ id: 1, sku: 'lamp' },
							{ id: 2, sku: 'desk' },
						],
					},
					{ order_number: 'A-18', state: 'paid', items: [{ id: 1, sku: 'chair' }] },
				],
			},
		};
		expect(rowsIn(order).flatMap(({ lines }) => lines)).toEqual([
			'total 2',
			'A-17: state open, items [1, 2]',
			'A-17 items 1: sku lamp',
			'A-17 items 2: sku desk',
			'A-18: state paid, items [1]',
			'A-18 items 1: sku chair',
		]);
	});

	it('objects are identified by their own ids, not by codes that many share', () => {
		const rows = rowsIn([
			{ status_code: 200, country_code: 'NO', parcel_no: 'PX-1', weight: 3 },
			{ status_code: 200, country_code: 'NO', parcel_no: 'PX-2', weight: 4 },
		]);
		expect(rows.map(({ id }) => id)).toEqual(['PX-1', 'PX-2']);
	});

	it.each([
		['line_id', { line_id: 'T-1', phone_number: '0150-71', line_number: 3, tariff_id: 'F-9' }],
		['portId', { portId: 'T-1', portNumber: 9, harbourId: 'F-9', berths: 'three in the north' }],
		['version-id', { 'version-id': 'T-1', version_number: 12, book_id: 'F-9', editor: 'a librarian' }],
	])('an object is identified by its own %s, not by the id of another object', (name, object) => {
		const [row] = rowsIn({ ...object, remark: 'The owner pays at the end of each month' });
		expect([row?.idName, row?.id]).toEqual([name, 'T-1']);
	});

	it('objects that share an id have none', () => {
		const payments = [
			{ payment_id: 'card_1', amount: 480, booked_at: '2026-04-01' },
			{ payment_id: 'card_1', amount: -120, booked_at: '2026-04-03' },
		];
		expect(rowsIn(payments).map(({ id }) => id)).toEqual([undefined, undefined]);
	});

	it('objects on separate lines are read as rows', () => {
		const lines = Array.from({ length: 3 }, (_, index) =>
			JSON.stringify({ uuid: `u-${index}`, size: index }),
		);
		expect(renderJson(lines.join('\n')).rows?.map(({ id }) => id)).toBeUndefined();
		const long = lines.map((line) => line.replace('}', ',"colour":"dark green"}'));
		expect(renderJson(long.join('\n')).rows?.map(({ id }) => id)).toEqual(['u-0', 'u-1', 'u-2']);
	});

	it('members with names like "constructor" are distinguished in rows', () => {
		const rows = Array.from({ length: 4 }, (_, index) => ({
			constructor: `maker ${index} of the north and the south`,
			place: 'the same for all of them, wherever they may stand',
		}));
		const { text } = renderJson(JSON.stringify(rows));
		for (const row of rows) expect(text).toContain(String(row.constructor));
	});

	it('the key of an object in a map is not repeated as its id', () => {
		const [row] = rowsIn({
			id: 'K7Q2',
			lamps: {
				'L-1': { lamp_id: 'L-1', colour: 'green', seat: 'L-2' },
				'L-2': { lamp_id: 'L-9', colour: 'red' },
			},
			note: 'The owner pays at the end of each month',
		});
		expect(row?.lines.join('\n')).toContain(
			'lamps {L-1 {colour green, seat L-2}, L-2 {lamp_id L-9, colour red}}',
		);
	});

	it('short members are shown first', () => {
		const [first = ''] = renderJson(
			JSON.stringify({
				...booking,
				legs: [...booking.legs, ...booking.legs, ...booking.legs, ...booking.legs],
				paid: { card: 'visa 7711', amount: 480 },
			}),
		).text.split('\n');
		expect(first).toBe('K7Q2: cabin economy, paid {card visa 7711, amount 480}');
	});

	it('a JSON result behind the header of a shell tool is read', () => {
		const said = 'Chunk ID: 49f2\nWall time: 0.4 seconds\nProcess exited with code 0\nOutput:\n';
		const { text, rows } = renderJson(said + JSON.stringify(booking, null, 2));
		expect(rows).toHaveLength(1);
		expect(text).toBe(said + renderJson(JSON.stringify(booking)).text);
		const log = `${said}[info] began\n${'[info] went on with the rows\n'.repeat(9)}`;
		expect(renderJson(log)).toEqual({ text: log });
	});

	it('links that only extend another one are left out of a JSON result', () => {
		const url = 'https://api.example.com/rows/7';
		const row = {
			url,
			notes_url: `${url}/notes{/id}`,
			tags_url: `${url}/tags`,
			page: 'https://example.com/7',
		};
		const { text } = renderJson(JSON.stringify({ row, next: `${url}7`, title: 'The seventh of all rows' }));
		expect(text).toContain('row {url https://api.example.com/rows/7, page https://example.com/7}');
		expect(text).toContain('rows/77');
		expect(text).not.toMatch(/notes|tags/);
	});

	it('a JSON result with thousands of links is read quickly', () => {
		const links = Array.from({ length: 7000 }, (_, index) => [`k${index}`, `https://a/${index}`]);
		const spent = processorClock();
		expect(renderJson(JSON.stringify(Object.fromEntries(links))).rows).toHaveLength(1);
		expect(spent()).toBeLessThan(1500 * machineSlowness());
	});

	it('a JSON result that is nested too deep stays unchanged', () => {
		const [open, close] = ['{"a":['.repeat(5000), ']}'.repeat(5000)];
		const text = `${open}"The rows are imported one by one, each in its own transaction."${close}`;
		expect(renderJson(text)).toEqual({ text });
	});

	it('the HTML of buttons and sections is left out of long texts, but no words and links are', () => {
		const button =
			'<a href="https://fix.example/77" target="_blank"><picture><source srcset="dark.png"><img alt="Fix" src="light.png"></picture></a>&nbsp;';
		const words = 'The berth is freed before the ferry has left, so that two ferries may take it at once.';
		const link = '<a href="https://ferry.example/rules">the rules</a>';
		const body = `<!-- DESCRIPTION START -->\n${words} See ${link}.\n<!-- DESCRIPTION END -->\n<p>${button}</p>\n${words.repeat(3)}`;
		const { text } = renderJson(JSON.stringify({ id: 'C-7', path: 'src/berths.ts', body }));
		expect(text).toContain(`${words} See ${link}.`);
		expect(text).not.toMatch(/picture|png|DESCRIPTION|nbsp|<p>|fix\.example/);
	});

	it('empty members are left out of a JSON result', () => {
		expect(renderJson(JSON.stringify(booking)).text).not.toMatch(/note|upgrades|insurance|null/);
	});
});

describe('members that only programs need', () => {
	const comment = (page: object) => ({
		url: 'https://api.example.com/repos/ferry/tide/pulls/comments/7301',
		id: 7301,
		node_id: 'PRRC_kwDOQyo98M6kT4HB',
		path: 'src/pier.ts',
		...page,
		user: {
			login: 'maja',
			id: 12,
			node_id: 'U_kgDOCnlnWA',
			avatar_url: 'https://avatars.example.com/u/12',
			...page,
		},
		body: 'The pier has no light. The next one has two of them, which is one too many.',
	});

	it.each([
		['of GitHub', { html_url: 'https://example.com/ferry/tide/pull/4#r7301' }],
		['of GitLab', { web_url: 'https://example.com/ferry/tide/-/merge_requests/4#note_7301' }],
	])('are left out of objects %s, which name a page for people', (_, page) => {
		const { text } = renderJson(JSON.stringify([comment(page)]));
		expect(text).toContain('7301: path src/pier.ts');
		expect(text).toContain(Object.values(page)[0]);
		expect(text).toContain('login maja, id 12');
		expect(text).not.toMatch(/api\.example|node_id|avatar/);
	});

	it('are shown of other objects, whose only addresses they are', () => {
		const { text } = renderJson(JSON.stringify([comment({})]));
		expect(text).toContain('url https://api.example.com/repos/ferry/tide/pulls/comments/7301');
		expect(text).toContain('node_id PRRC_kwDOQyo98M6kT4HB');
	});
});
