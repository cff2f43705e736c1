import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type LineRecords, parseRecords } from '../../server/core/transcript/reading/lines.ts';
import { LineBytes } from '../../server/node/transcript/lineBytes.ts';
import { machineSlowness, processorClock } from '../support/processorClock.ts';

it('the records of lines include the irregular ones that agents write', () => {
	expect(
		parseRecords('\uFEFF{"a":1}\r\n\n{"b":"}{"}{"c":[{}]}\nnonsense\n{"d":1} trailing\n{"torn":'),
	).toEqual({
		records: [{ a: 1 }, { b: '}{' }, { c: [{}] }, { d: 1 }],
		badLineCount: 2,
	});
	expect(parseRecords('{\n "one": "document"\n}')).toEqual({
		records: [{ one: 'document' }],
		badLineCount: 0,
	});
	expect(parseRecords('')).toEqual({ records: [], badLineCount: 0 });
});

it('LineBytes returns the same records for any division of the bytes', () => {
	const text = '{"a":1}\n{"b":2}{"c":3}\r\nbad\n\n{"d":"é\\n"}\n{"e":5}';
	const bytes = Buffer.from(text);
	const whole = parseRecords(text);
	fc.assert(
		fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
			const lines = new LineBytes();
			const places = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
			const results: LineRecords[] = places
				.slice(1)
				.map((end, index) => lines.push(bytes.subarray(places[index], end)));
			results.push(lines.end());
			expect(results.flatMap(({ records }) => records)).toEqual(whole.records);
			expect(results.reduce((sum, { badLineCount }) => sum + badLineCount, 0)).toBe(whole.badLineCount);
		}),
		{ numRuns: 200 },
	);
});

it('recordsOf and LineBytes take linear time', () => {
	const spent = processorClock();
	parseRecords('{"a":1}'.repeat(100_000));
	parseRecords('{'.repeat(1_000_000));
	const lines = new LineBytes();
	for (let piece = 0; piece < 200_000; piece++) lines.push(Buffer.from('"x'));
	lines.end();
	expect(spent()).toBeLessThan(3000 * machineSlowness());
});
