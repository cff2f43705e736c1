import { describe, expect, it } from 'vitest';
import { createSource } from '../../../server/core/analysis/message/messageSource.ts';
import type { Source } from '../../../server/core/analysis/message/source.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { assistant, call, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

type Call = Source['calls'][number];

/** Writes the result of a call in the format of an agent. */
type Format = (rows: readonly Record<string, unknown>[]) => ChatMessage['content'];

const formats: [name: string, format: Format][] = [
	['JSON', (rows) => JSON.stringify(rows.length === 1 ? rows[0] : rows)],
	['JSON in an object', (rows) => JSON.stringify({ total: rows.length, bookings: rows })],
	['a content part of MCP', (rows) => [{ type: 'text', text: JSON.stringify(rows, null, 2) }]],
	['a JSON object a line', (rows) => rows.map((row) => JSON.stringify(row)).join('\n')],
];

const ids = ['QX-501', 'QX-502', 'QX-503', 'QX-504'];

function createBooking(id: string): Record<string, unknown> {
	const index = ids.indexOf(id);
	return {
		booking_id: id,
		cabin: `deck ${index}, outer, with ${index + 2} beds`,
		paid: `${310 + index} EUR on the card that ends in ${4410 + index}`,
	};
}

function answer(seq: number, { id, name }: Call, content: ChatMessage['content']): Source {
	const row = { seq, id: `id-${seq}`, tool: name, answers: id };
	return createSource(row, { id: row.id, role: 'tool', toolCallId: id, toolName: name, content });
}

/** Appends a call with its result to a session. */
function append(sources: Source[], text: string, made: Call, content: ChatMessage['content']): void {
	const seq = sources.length + 1;
	sources.push(assistant(seq, text, made), answer(seq + 1, made, content));
}

function appendUser(sources: Source[], text: string): void {
	sources.push(user(sources.length + 1, text));
}

/** Returns a session that looks up each booking. */
function lookUp(request: string, format: Format): Source[] {
	const sources: Source[] = [user(1, request)];
	for (const id of ids)
		append(sources, '', call('get_booking', { booking_id: id }), format([createBooking(id)]));
	return sources;
}

function cancel(sources: Source[], id: string, content = 'Done, the money goes back to the card.'): void {
	append(sources, '', call('cancel_booking', { booking_id: id, reason: 'change of plan' }), content);
}

/** Returns the bookings of which a small summary shows the cabin. */
function shownIn(sources: readonly Source[], budgetTokens: number): string[] {
	const text = summaryOf(sources, budgetTokens);
	return ids.filter((_, index) => text.includes(`deck ${index}, outer`));
}

/** Returns the bookings that are shown in a summary that has no space for all of them. */
function firstShownIn(sources: readonly Source[]): string[] {
	for (let budget = 60; budget < 900; budget += 10) {
		const shown = shownIn(sources, budget);
		if (shown.length > 0) return shown;
	}
	return [];
}

describe.each(formats)('records in %s', (_, format) => {
	it('shows the booking that was named again before others that were only looked up', () => {
		const sources = lookUp('Change my cabin.', format);
		sources.push(assistant(20, 'It is QX-503, on the second deck.'));
		expect(firstShownIn(sources)).toEqual(['QX-503']);
	});

	it('shows the booking whose cancellation failed', () => {
		const sources = lookUp('Cancel QX-502.', format);
		cancel(sources, 'QX-502', 'Error: the deadline for QX-502 has passed');
		expect(firstShownIn(sources)).toContain('QX-502');
	});

	it('shows each booking that the current request looked up as soon as one that was named again', () => {
		const sources = lookUp('Cancel all my bookings.', format);
		for (const id of ids.slice(0, 2)) cancel(sources, id);
		sources.push(assistant(20, 'QX-501 and QX-502 are cancelled, QX-501 with a fee.'));
		expect(shownIn(sources, 900)).toEqual(ids);
	});

	it('shows a booking that the current request looked up although an earlier request named another again', () => {
		const sources: Source[] = [user(1, 'Cancel QX-502.')];
		append(sources, '', call('get_booking', { booking_id: 'QX-502' }), format([createBooking('QX-502')]));
		cancel(sources, 'QX-502');
		sources.push(assistant(6, 'QX-502 is cancelled. You get the money for QX-502 back.'));
		appendUser(sources, 'And what does my other booking cost?');
		append(sources, '', call('get_booking', { booking_id: 'QX-504' }), format([createBooking('QX-504')]));
		expect(shownIn(sources, 200)).toContain('QX-504');
	});

	it('shows a cancelled booking first if the user asks about it again', () => {
		const sources = lookUp('Cancel QX-502.', format);
		cancel(sources, 'QX-502');
		appendUser(sources, 'Please book QX-502 again with the same cabin.');
		expect(firstShownIn(sources)).toEqual(['QX-502']);
	});
});

describe.each(formats)('a list of records in %s', (_, format) => {
	it('shows the record that the user chose before the others of the list', () => {
		const sources: Source[] = [user(1, 'Show my bookings.')];
		append(sources, '', call('list_bookings', { owner: 'maja' }), format(ids.map(createBooking)));
		sources.push(assistant(4, `You have these bookings: ${ids.join(', ')}. Which one do you mean?`));
		appendUser(sources, 'Take QX-503 and move it to the ninth of May.');
		expect(firstShownIn(sources)).toContain('QX-503');
		expect(shownIn(sources, 900)).toContain('QX-503');
	});
});
