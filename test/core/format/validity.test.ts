import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAdapter, formatNames } from '../../../server/core/format/formats.ts';
import { type Reader, validate } from '../../../server/core/format/validity/validate.ts';
import type { RenderEntry } from '../../../server/core/format/wire/adapter.ts';
import type { FormatName } from '../../../server/protocol/conversation.ts';
import { histories } from './histories.ts';
import { appended } from './history.ts';

const readers: [Reader, FormatName][] = [
	...formatNames.map((name): [Reader, FormatName] => [name, name]),
	['mistral', 'openai'],
	['deepseek', 'openai'],
];

function render(reader: Reader, format: FormatName, entries: RenderEntry[]): unknown[] {
	return formatAdapter(format).render(entries, { provider: reader }).messages;
}

describe.each(readers)('%s', (reader, format) => {
	it('takes every history that is valid in its pairs', () => {
		fc.assert(
			fc.property(histories, (history) => {
				const messages = render(reader, format, appended('contextd', history));
				expect(validate(messages, reader).problems).toEqual([]);
			}),
			{ numRuns: 150 },
		);
	});

	it('gives back unchanged what was rendered for it', () => {
		fc.assert(
			fc.property(histories, (history) => {
				const once = render(reader, format, appended('contextd', history));
				expect(render(reader, format, appended(format, once))).toEqual(once);
			}),
			{ numRuns: 100 },
		);
	});

	it('takes what any other format brought, whichever messages were touched', () => {
		fc.assert(
			fc.property(
				histories,
				fc.constantFrom(...formatNames),
				fc.infiniteStream(fc.boolean()),
				(history, from, touches) => {
					const wire = formatAdapter(from).render(appended('contextd', history)).messages;
					const entries = appended(from, wire).map((entry) => {
						const isTouched = touches.next().value && entry.message.role !== 'system';
						return isTouched
							? { ...entry, message: { ...entry.message, content: 'cut' }, touched: true }
							: entry;
					});
					expect(validate(render(reader, format, entries), reader).problems).toEqual([]);
				},
			),
			{ numRuns: 150 },
		);
	});
});
