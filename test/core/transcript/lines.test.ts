import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineSplitter, recordsOf } from '../../../server/core/transcript/lines.ts';

test('forgives what agents write', () => {
	expect(recordsOf('\uFEFF{"a":1}\r\n\n{"b":"}{"}{"c":[{}]}\nnonsense\n{"d":1} trailing\n{"torn":')).toEqual({
		records: [{ a: 1 }, { b: '}{' }, { c: [{}] }, { d: 1 }],
		badLines: 2,
	});
	expect(recordsOf('{\n "one": "document"\n}')).toEqual({ records: [{ one: 'document' }], badLines: 0 });
	expect(recordsOf('')).toEqual({ records: [], badLines: 0 });
});

test('gives the same however the text is cut into pieces', () => {
	const text = '{"a":1}\n{"b":2}{"c":3}\r\nbad\n\n{"d":"é\\n"}\n{"e":5}';
	const whole = recordsOf(text);
	fc.assert(
		fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
			const splitter = lineSplitter();
			const places = [0, ...cuts.toSorted((one, other) => one - other), text.length];
			const results = places.slice(1).map((end, index) => splitter.push(text.slice(places[index], end)));
			results.push(splitter.end());
			expect(results.flatMap(({ records }) => records)).toEqual(whole.records);
			expect(results.reduce((sum, { badLines }) => sum + badLines, 0)).toBe(whole.badLines);
		}),
		{ numRuns: 200 },
	);
});

test('takes linear time', () => {
	const started = performance.now();
	recordsOf('{"a":1}'.repeat(100_000));
	recordsOf('{'.repeat(1_000_000));
	const splitter = lineSplitter();
	for (let piece = 0; piece < 200_000; piece++) splitter.push('"x');
	splitter.end();
	expect(performance.now() - started).toBeLessThan(3000);
});
