import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { formatNames } from '../../../server/core/format/names.ts';
import type { MessageReader } from '../../../server/core/format/validity/validate.ts';
import type { RenderEntry } from '../../../server/core/format/wire/adapter.ts';
import type { FormatName } from '../../../server/protocol/conversation.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { rendered } from '../../support/rendered.ts';
import { validate } from '../../support/validate.ts';
import { histories } from './histories.ts';
import { appendedEntries } from './history.ts';

const readers: [MessageReader, FormatName][] = [
	...formatNames.map((name): [MessageReader, FormatName] => [name, name]),
	['mistral', 'openai'],
	['deepseek', 'openai'],
];

function render(reader: MessageReader, format: FormatName, entries: RenderEntry[]): unknown[] {
	return rendered(getFormatAdapter(format), entries, { provider: reader }).messages;
}

describe.each(readers)('%s', (reader, format) => {
	it('the reader accepts every history with valid pairs', () => {
		fc.assert(
			fc.property(histories, (history) => {
				const messages = render(reader, format, appendedEntries('contextd', history));
				expect(validate(messages, reader).problems).toEqual([]);
			}),
			{ numRuns: 150 },
		);
	});

	it("the reader's format returns what was rendered for it unchanged", () => {
		fc.assert(
			fc.property(histories, (history) => {
				const once = render(reader, format, appendedEntries('contextd', history));
				expect(render(reader, format, appendedEntries(format, once))).toEqual(once);
			}),
			{ numRuns: 100 },
		);
	});

	it('the reader accepts messages of any other format, whichever were changed', () => {
		fc.assert(
			fc.property(
				histories,
				fc.constantFrom(...formatNames),
				fc.infiniteStream(fc.boolean()),
				(history, from, touches) => {
					const wire = rendered(getFormatAdapter(from), appendedEntries('contextd', history)).messages;
					const entries = appendedEntries(from, wire).map((entry) => {
						const isTouched = touches.next().value && entry.message.role !== 'system';
						return isTouched
							? { ...entry, message: { ...entry.message, content: 'cut' }, isChanged: true }
							: entry;
					});
					expect(validate(render(reader, format, entries), reader).problems).toEqual([]);
				},
			),
			{ numRuns: 150 },
		);
	});
});

describe('calls and results of the neutral format', () => {
	it('calls and results of the neutral format are checked with any value in place of an id', () => {
		for (const id of [{ toString: 1, valueOf: 1 }, [[]], 5, null, Object.create(null)]) {
			const messages = [
				{ role: 'assistant', content: '', id, toolCalls: [{ id, name: 'run', args: {} }] },
				{ role: 'tool', content: 'done', id, toolCallId: id },
			];
			expect(validate(messages, 'contextd')).toMatchObject({ valid: false });
			expect(validate(messages, 'neurolink')).toMatchObject({ valid: false });
		}
	});

	it('calls and results of the neutral format are checked in linear time for thousands of calls', () => {
		const messages = Array.from({ length: 40_000 }, (_, index) => ({
			role: 'assistant',
			content: '',
			toolCalls: [{ id: `c${index}`, name: 'run', args: {} }],
		}));
		const clock = processorClock();
		expect(validate(messages, 'contextd').problems).toHaveLength(messages.length);
		expect(clock()).toBeLessThan(2000 * machineSlowness());
	});
});
