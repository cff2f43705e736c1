import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Source } from '../../../server/core/compact/facts/source.ts';
import { createFound } from '../../../server/core/compact/narrative/analyses.ts';
import { messageSource } from '../../../server/core/compact/narrative/messageSource.ts';
import { outcomeSteps } from '../../../server/core/compact/narrative/outcomes.ts';
import { collectRecords, rankOf } from '../../../server/core/compact/summary/records.ts';
import { formatAdapter } from '../../../server/core/format/formats.ts';
import { runToEnd } from '../../../server/core/slices.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { sectionIn, summaryOf } from './summaries.ts';

const before = {
	booking_id: 'K7Q2',
	seat: '14B',
	legs: [
		{ train_no: 'RX-9', price: 480 },
		{ train_no: 'RX-4', price: 210 },
	],
	insurance: 'yes',
	travellers: 'two adults and a dog',
};
const after = {
	...before,
	legs: [
		{ train_no: 'RX-9', price: 140 },
		{ train_no: 'RX-4', price: 210 },
	],
};
const args = { booking_id: 'K7Q2', fare: 'saver' };

/** A call and its result: [tool, arguments, result]. */
type Step = [tool: string, args: object, returned: string];

const sessionOf = {
	anthropic: (steps: readonly Step[]) =>
		steps.flatMap(([name, input, content], index) => [
			{ role: 'assistant', content: [{ type: 'tool_use', id: `t${index}`, name, input }] },
			{ role: 'user', content: [{ type: 'tool_result', tool_use_id: `t${index}`, content }] },
		]),
	openai: (steps: readonly Step[]) =>
		steps.flatMap(([name, input, content], index) => [
			{
				role: 'assistant',
				content: null,
				tool_calls: [
					{ id: `t${index}`, type: 'function', function: { name, arguments: JSON.stringify(input) } },
				],
			},
			{ role: 'tool', tool_call_id: `t${index}`, content },
		]),
	gemini: (steps: readonly Step[]) =>
		steps.flatMap(([name, input, content]) => [
			{ role: 'model', parts: [{ functionCall: { name, args: input } }] },
			{
				role: 'user',
				parts: [
					{
						functionResponse: {
							name,
							response: content.startsWith('{') ? JSON.parse(content) : { error: content },
						},
					},
				],
			},
		]),
};

function sourcesOf(messages: readonly ChatMessage[]): Source[] {
	return messages.map((message, index) => {
		const id = `m${index}`;
		const row = {
			seq: index + 1,
			id,
			...(message.toolName !== undefined && { tool: message.toolName }),
			...(message.toolCallId !== undefined && { answers: message.toolCallId }),
			...(message.isError && { isError: true }),
		};
		return messageSource(row as Parameters<typeof messageSource>[0], { ...message, id });
	});
}

function read(format: keyof typeof sessionOf, steps: readonly Step[]): Source[] {
	const { parse } = formatAdapter(format);
	return sourcesOf(sessionOf[format](steps).flatMap((message) => parse(message)));
}

function recordsIn(sources: readonly Source[]) {
	return collectRecords(sources, runToEnd(outcomeSteps(sources, createFound())));
}

describe('records of a session', () => {
	it.each(['anthropic', 'openai', 'gemini'] as const)(
		'records follow calls in the format %s: current members, changes and failures',
		(format) => {
			const sources = read(format, [
				['get_booking', { booking_id: 'K7Q2' }, JSON.stringify(before)],
				['change_fare', { booking_id: 'K7Q2', fare: 'flex' }, 'Error: no seats are left in this fare'],
				['change_fare', args, JSON.stringify(after)],
			]);
			const [record, ...others] = recordsIn(sources);
			expect(others).toEqual([]);
			expect(record?.fields).toMatchObject({ seat: '14B', legs: after.legs });
			expect(record?.changes.map(({ outcome }) => outcome.failed)).toEqual([true, false]);
			expect(record?.changes[1]).toMatchObject({ asked: ['fare saver'], changed: ['RX-9 price 480 → 140'] });
			const shown = sectionIn(summaryOf(sources), 14);
			expect(shown).toMatch(/K7Q2 \(#6\): .*RX-9 140/);
			expect(shown).toMatch(/failed #4 change_fare \(fare flex\): .*no seats are left/);
			expect(shown).toContain('changed #6 change_fare (fare saver, RX-9 price 480 → 140)');
		},
	);

	it('a result that is not the whole record is listed as a change of its call', () => {
		const [record] = recordsIn(
			read('openai', [
				['get_booking', { booking_id: 'K7Q2' }, JSON.stringify(before)],
				[
					'add_pet',
					{ booking_id: 'K7Q2', pets: 1 },
					JSON.stringify({
						booking_id: 'K7Q2',
						charged: 18,
						card: 'ending 4471',
						receipt: 'R-7781-2026-04',
						at: '2026-04-01',
					}),
				],
			]),
		);
		expect(record?.fields).not.toHaveProperty('charged');
		expect(record?.changes[0]).toMatchObject({
			asked: ['pets 1'],
			changed: ['charged 18', 'card ending 4471', 'receipt R-7781-2026-04', 'at 2026-04-01'],
		});
	});

	it('records of equal objects are distinguished by the date of their query', () => {
		const flight = (price: number): string =>
			JSON.stringify([
				{ flight_number: 'HX11', from: 'OSL', to: 'VIE', price, seats: { economy: 12, business: 3 } },
			]);
		const records = recordsIn(
			read('openai', [
				['search_flights', { from: 'OSL', to: 'VIE', date: '2026-05-23' }, flight(111)],
				['search_flights', { from: 'OSL', to: 'VIE', date: '2026-05-27' }, flight(222)],
				['search_flights', { from: 'OSL', to: 'VIE', date: '2026-05-27' }, flight(333)],
			]),
		);
		expect(records.map(({ context, fields }) => [...context.values(), fields.price])).toEqual([
			['2026-05-23', 111],
			['2026-05-27', 333],
		]);
	});

	it('records with equal ids are distinguished by the order that contains them', () => {
		const order = (order_id: string, sku: string): string =>
			JSON.stringify({
				order_id,
				state: 'open',
				customer: 'Maja Aune',
				items: [
					{ id: 1, sku, colour: 'green' },
					{ id: 2, sku: 'bag' },
				],
			});
		const records = recordsIn(
			read('openai', [
				['get_order', { order_id: 'A-17' }, order('A-17', 'lamp')],
				['get_order', { order_id: 'A-18' }, order('A-18', 'desk')],
			]),
		);
		expect(records.filter(({ id }) => id === '1').map(({ parent, fields }) => [parent, fields.sku])).toEqual([
			['A-17 items', 'lamp'],
			['A-18 items', 'desk'],
		]);
	});

	it('a record is named by a user who mentions only the number at the end of its id', () => {
		const cards = ['card_7091239', 'card_6276644'].map((id) => ({ id, kind: 'gift card', balance: 157 }));
		const asks = { role: 'user', content: 'Please take card 7091239, and row 12.' };
		const { parse } = formatAdapter('openai');
		const messages = [...sessionOf.openai([['list_cards', {}, JSON.stringify(cards)]]), asks];
		const records = recordsIn(sourcesOf(messages.flatMap((message) => parse(message))));
		expect(records.map(({ id, rank }) => [id, rank])).toEqual([
			['card_7091239', rankOf.named],
			['card_6276644', rankOf.unnamed],
		]);
	});

	it('a result without an id is a record of the object in the query', () => {
		const [record] = recordsIn(
			read('openai', [
				[
					'get_user_details',
					{ user_id: 'maja_aune_7' },
					JSON.stringify({
						membership: 'silver',
						address: { city: 'Bergen', street: 'Nygate 4', zip: '5017' },
						age: 44,
					}),
				],
			]),
		);
		expect(record).toMatchObject({ id: 'maja_aune_7', fields: { membership: 'silver' } });
	});
});

describe('records in a summary', () => {
	it('a small summary shows neither replaced values nor unused rows of a search before the booking', () => {
		const found = Array.from({ length: 6 }, (_, index) => ({
			train: `RX-${index}`,
			departs: `0${index}:30`,
			price: 300 + index,
			carriages: 'first and second class, a dining car',
		}));
		const sources = read('openai', [
			['search_trains', { from: 'Oslo', to: 'Bergen' }, JSON.stringify(found)],
			['get_booking', { booking_id: 'K7Q2' }, JSON.stringify(before)],
			['change_fare', args, JSON.stringify(after)],
		]);
		const shown = sectionIn(summaryOf(sources, 160), 14);
		expect(shown).toContain('K7Q2');
		expect(shown).not.toMatch(/RX-[0-3]: |RX-9 480/);
	});

	it('a record has the values of the last successful result, and appears once', () => {
		const value = fc.constantFrom('open', 'paid', 'sent', 'lost');
		const step = fc.record({
			id: fc.constantFrom('A-17', 'A-18', 'A-19'),
			tool: fc.constantFrom('get_order', 'change_order'),
			state: value,
			city: value,
			fails: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
				const stamp = (index: number): string => `v${index}x`;
				const sources = read(
					'openai',
					steps.map(
						({ id, tool, state, city, fails }, index): Step => [
							tool,
							{ order_id: id, wanted: `w${index}x` },
							fails
								? `Error: order ${id} cannot be shown, ${stamp(index)}`
								: JSON.stringify({
										order_id: id,
										state: `${state}-${stamp(index)}`,
										city: `${city}-${stamp(index)}`,
										customer: 'Maja Aune, Nygate 4, Bergen',
									}),
						],
					),
				);
				const records = recordsIn(sources);
				expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
				for (const { id, fields } of records) {
					const last = steps.findLastIndex((one) => one.id === id && !one.fails);
					expect(fields.state).toBe(`${steps[last]?.state}-${stamp(last)}`);
					expect(fields.city).toBe(`${steps[last]?.city}-${stamp(last)}`);
				}
			}),
		);
	});
});
