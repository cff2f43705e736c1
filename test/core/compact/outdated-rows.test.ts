import { describe, expect, it } from 'vitest';
import { renderJson } from '../../../server/core/analysis/message/json.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import { assistant, call, result, user } from './facts-sources.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const booking = {
	booking_id: 'K7Q2',
	seat: '14B',
	price: 480,
	insurance: 'yes',
	travellers: 'two adults and a dog',
};

/** A call and its result: tool, arguments, result. */
type Step = [tool: string, args: object, returned: object | string];

function sessionOf(...steps: Step[]): Source[] {
	return [
		user(1, 'Change my booking.'),
		...steps.flatMap(([tool, args, returned], index) => {
			const made = call(tool, args);
			const text = typeof returned === 'string' ? returned : JSON.stringify(returned);
			const answer = result(3 + 2 * index, made, text, typeof returned === 'string');
			return [assistant(2 + 2 * index, '', made), { ...answer, ...renderJson(text) }];
		}),
	];
}

describe('rows of results in a summary', () => {
	it('shows a booking after the last successful change, and the failed call as failed', () => {
		const text = summaryOf(
			sessionOf(
				['get_booking', { booking_id: 'K7Q2' }, booking],
				['change_fare', { booking_id: 'K7Q2', fare: 'flex' }, 'Error: no seats are left in this fare'],
				['change_fare', { booking_id: 'K7Q2', fare: 'saver' }, { ...booking, price: 140 }],
			),
		);
		const rows = sectionIn(text, 'records');
		expect(rows).toMatch(/K7Q2: .*price 140/);
		expect(rows).not.toContain('price 480');
		expect(text).toMatch(/change_fare K7Q2 flex → failed: Error: no seats are left/);
	});

	it('keeps both results of a search for two dates', () => {
		const train = (price: number) => [{ ...booking, booking_id: undefined, train_no: 'RX-9', price }];
		const rows = sectionIn(
			summaryOf(
				sessionOf(
					['search_trains', { date: '2026-05-23' }, train(111)],
					['search_trains', { date: '2026-05-27' }, train(222)],
				),
			),
			'records',
		);
		expect(rows).toContain('price 111');
		expect(rows).toContain('price 222');
	});

	it('shows a receipt for a booking next to the booking', () => {
		const receipt = {
			booking_id: 'K7Q2',
			charged: 18,
			card: 'ending 4471',
			receipt: 'R-7781-2026-04-and-more',
		};
		const rows = sectionIn(
			summaryOf(
				sessionOf(
					['get_booking', { booking_id: 'K7Q2' }, booking],
					['add_pet', { booking_id: 'K7Q2', pets: 1 }, receipt],
				),
			),
			'records',
		);
		expect(rows).toContain('seat 14B');
		expect(rows).toContain('charged 18');
	});

	it('shows the row that the user named before rows that nobody named', () => {
		const trains = Array.from({ length: 8 }, (_, index) => ({
			...booking,
			booking_id: `Q${index}-80${index}`,
			price: 300 + index,
		}));
		const sources = sessionOf(['search_bookings', { owner: 'Maja' }, trains]);
		const rows = sectionIn(summaryOf([user(0, 'Only Q6-806 matters.'), ...sources], 78), 'records');
		expect(rows).toContain('Q6-806: ');
		expect(rows).not.toContain('Q1-801: ');
	});

	it('shows the rows that a named row names before others', () => {
		const trains = Array.from({ length: 8 }, (_, index) => ({
			train_no: `RX-90${index}`,
			price: 300 + index,
			departs: `0${index}:15 from the central station`,
			state: 'on time',
		}));
		const rows = sectionIn(
			summaryOf(
				sessionOf(
					['get_booking', { booking_id: 'K7Q2' }, { ...booking, train: 'RX-906' }],
					['search_trains', { date: '2026-05-23' }, trains],
				),
				150,
			),
			'records',
		);
		expect(rows).toMatch(/RX-906.* 306/);
		expect(rows).not.toContain('RX-901');
	});
});

const dusk = { id: 'dusk', accent: '#905030', border: '#404040' };
const settings = { themes: [{ id: 'dawn', accent: '#3a7bd5', border: '#c0c0c0' }, dusk] };

/** Messages in which an agent reads a JSON file. */
function readSettings(
	seq: number,
	name: string,
	key: string,
	path: string,
	value: object = settings,
): Source[] {
	const made = call(name, { [key]: path });
	const shown = result(seq + 1, made, '');
	return [assistant(seq, '', made), { ...shown, ...renderJson(JSON.stringify(value, null, 2)) }];
}

function apply(seq: number, name: string, args: object): Source[] {
	const made = call(name, args);
	return [assistant(seq, '', made), result(seq + 1, made, 'Done.')];
}

describe('rows of a JSON file that was edited after it was read', () => {
	const path = '/app/config/ui.json';

	it.each([
		[
			'Claude Code',
			readSettings(2, 'Read', 'file_path', path),
			apply(4, 'Edit', {
				file_path: path,
				old_string: '"accent": "#3a7bd5",',
				new_string: '"accent": "#2a5a9c",',
			}),
		],
		[
			'pi, with a relative path and several lines',
			readSettings(2, 'read', 'path', 'config/ui.json'),
			apply(4, 'edit', {
				path,
				oldText: '    "accent": "#3a7bd5",\n    "border": "#c0c0c0"',
				newText: '    "accent": "#2a5a9c",\n    "border": "#c0c0c0"',
			}),
		],
		[
			'a shell with the folder of the user',
			readSettings(2, 'Bash', 'command', 'cat ~/.config/ui.json'),
			apply(4, 'Edit', {
				file_path: '/home/ada/.config/ui.json',
				old_string: '"accent": "#3a7bd5",',
				new_string: '"accent": "#2a5a9c",',
			}),
		],
		[
			'OpenCode',
			readSettings(2, 'read', 'filePath', path),
			apply(4, 'edit', {
				filePath: path,
				oldString: '"id": "dawn",\n      "accent": "#3a7bd5",',
				newString: '"id": "dawn",\n      "accent": "#2a5a9c",',
			}),
		],
	])('omits the row with the replaced value and keeps the others: %s', (_, read, edit) => {
		const all = [user(1, 'Change the accent.'), ...read, ...edit];
		const rows = sectionIn(summaryOf(all.slice(0, 3)), 'records');
		expect(rows).toContain('#3a7bd5');
		const later = sectionIn(summaryOf(all), 'records');
		expect(later).not.toContain('#3a7bd5');
		expect(later).toContain('#905030');
	});

	it.each([
		['the edit failed', 'Edit', true, path],
		['another file was edited', 'Edit', false, '/app/config/admin.json'],
	])('keeps the row if %s', (_, name, isError, file_path) => {
		const made = call(name, { file_path, old_string: '"accent": "#3a7bd5",', new_string: '' });
		const all = [
			user(1, 'Change the accent.'),
			...readSettings(2, 'Read', 'file_path', path),
			...[assistant(4, '', made), result(5, made, isError ? 'String not found.' : 'Done.', isError)],
		];
		expect(sectionIn(summaryOf(all), 'records')).toContain('#3a7bd5');
	});

	it('shows a value that a later read shows again', () => {
		const all = [
			user(1, 'Change the accent.'),
			...readSettings(2, 'Read', 'file_path', path),
			...apply(4, 'Edit', {
				file_path: path,
				old_string: '"accent": "#3a7bd5",',
				new_string: '"accent": "#2a5a9c",',
			}),
			...readSettings(6, 'Read', 'file_path', path),
		];
		expect(sectionIn(summaryOf(all), 'records')).toContain('#3a7bd5');
	});
});

it('omits the line of a nested object whose value was edited', () => {
	const path = '/app/config/ports.json';
	const all = [
		user(1, 'Move the admin port.'),
		...readSettings(2, 'Read', 'file_path', path, {
			ports: { admin: 8085, metrics: 9105 },
			region: 'eu-north',
		}),
		...apply(4, 'Edit', { file_path: path, old_string: '"admin": 8085,', new_string: '"admin": 8185,' }),
	];
	expect(summaryOf(all.slice(0, 3))).toContain('8085');
	expect(summaryOf(all)).not.toContain('8085');
});

describe('rows that a later result changed', () => {
	const order = {
		order_id: '#W24',
		status: 'delivered',
		items: [{ name: 'Lamp', price: 150 }],
		city: 'Bremen',
	};
	const look: Step = ['get_order_details', { order_id: '#W24' }, order];

	it.each<[string, Step]>([
		[
			'a long result',
			[
				'exchange_items',
				{ order_id: '#W24', item: 'Lamp' },
				{ order_id: '#W24', status: 'exchange requested', price_difference: -4.5, payment_method: 'paypal' },
			],
		],
		['a short result', ['cancel_order', { order_id: '#W24' }, { order_id: '#W24', status: 'cancelled' }]],
		['a deletion', ['delete_order', { order_id: '#W24' }, { deleted: true, order_id: '#W24' }]],
	])('a row that %s changed says where', (_, change) => {
		expect(summaryOf(sessionOf(look, change))).toMatch(
			/\[#3 get_order_details #W24\] \(changed later: #W24 in #5\)/,
		);
	});

	it.each<[string, Step]>([
		['the same values', ['touch_order', { order_id: '#W24' }, { order_id: '#W24', status: 'delivered' }]],
		['another object', ['cancel_order', { order_id: '#W25' }, { order_id: '#W25', status: 'cancelled' }]],
		[
			'another query',
			['get_order_details', { order_id: '#W24', day: 'Monday' }, { order_id: '#W24', status: 'new' }],
		],
	])('a row has no note after %s', (_, later) => {
		expect(summaryOf(sessionOf(look, later))).not.toContain('changed later');
	});

	it.each<[string, Step]>([
		['says only that it worked', ['cancel_order', { order_id: '#W24' }, { success: true }]],
		['is a sentence', ['cancel_order', { order_id: '#W24' }, 'Order #W24 is cancelled.']],
		['names it by its member', ['set_status', { status: 'open', order_id: '#W24' }, { success: true }]],
		['changes several objects', ['cancel_orders', { order_ids: ['#W23', '#W24'] }, { cancelled: 2 }]],
	])('a row has a note after a change whose result %s', (_, [tool, args, returned]) => {
		const made = call(tool, args);
		const text = typeof returned === 'string' ? returned : JSON.stringify(returned);
		const later = [assistant(4, '', made), { ...result(5, made, text), ...renderJson(text) }];
		expect(summaryOf([...sessionOf(look), ...later])).toContain('(changed later: #W24 in #5)');
	});

	it.each<[string, Step]>([
		['creates another object', ['add_note', { order_id: '#W24' }, { success: true }]],
		['only names it as a part', ['pay', { amount: 12, reference: '#W24' }, { success: true }]],
		[
			'only tries a change',
			['cancel_order', { order_id: '#W24', dry_run: true }, { success: true, applied: false }],
		],
	])('a row has no note after a call that %s', (_, later) => {
		expect(summaryOf(sessionOf(look, later))).not.toContain('changed later');
	});
});
