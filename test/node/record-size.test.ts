import { expect, it } from 'vitest';
import { encodeRecord, maxHeaderBytes } from '../../server/node/journal/format.ts';

it.each<[string, unknown]>([
	['longer than a header line may be', 'x'.repeat(maxHeaderBytes)],
	['longer than any text can be', Array.from({ length: 6 }, () => 'x'.repeat(100_000_000))],
])('a record %s is refused as too large', (_, value) => {
	expect(() => encodeRecord(value, [], 0, 'first of its group')).toThrow(
		expect.objectContaining({
			kind: 'TooLarge',
			message: expect.stringContaining('send fewer messages at once'),
		}),
	);
});
