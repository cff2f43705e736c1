import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ExactCounter, Vocabulary } from '../../../server/core/measure/text/exactCounter.ts';
import { corpusFolder, corpusTexts } from '../../support/corpusTexts.ts';
import { needsCorpus } from '../../support/needs.ts';
import { machineSlowness, processorClock } from '../../support/processorClock.ts';
import { counterFor } from '../../support/ranks.ts';
import { referenceCount } from '../../support/tokenizers.ts';

/** More strings, and the whole corpus: `CONTEXTD_THOROUGH=1 npx vitest run text-exact`. */
const isThorough = process.env.CONTEXTD_THOROUGH === '1';

const letters = [
	'a',
	'b',
	'Z',
	'HTML',
	'Parser',
	'é',
	'É',
	'ß',
	'İ',
	'ſ',
	'Ω',
	'ω',
	'א',
	'ب',
	'ำ',
	'ไ',
	'ǅ',
	'ʰ',
	'ª',
];
const contractions = ["'s", "'S", "'ll", "'lL", "'RE", "'", '’s', "'ſ", "'\u212a", "'t've"];
const blanks = [
	' ',
	'  ',
	'\t',
	'\n',
	'\r\n',
	'\n\n',
	'\u00a0',
	'\u3000',
	'\u2028',
	'\u0085',
	'\ufeff',
	'\u200b',
];
const symbols = [
	'/',
	'//',
	'\\',
	'{',
	'}',
	'();',
	'=>',
	'==',
	'--',
	'...',
	'_',
	'$',
	'<|endoftext|>',
	'<EOT>',
];
const digits = ['0', '12', '1234', '٣', '½', '²', '𝟎'];
const wide = ['中', '文', '的', '日本', 'ー', 'あ', 'ア', '한', '글', '𠀀', '𝐀', '𝐚', '𐐀'];
const joined = ['\u0301', '\u0300\u0301', '😀', '👨‍👩‍👧', '\u200d', '\ufe0f', '\ud800', '\udc00'];
const fragment = fc.constantFrom(...[letters, contractions, blanks, symbols, digits, wide, joined].flat());

const anyText = fc.oneof(
	{ weight: 4, arbitrary: fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')) },
	{ weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
	{ weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
	{ weight: 1, arbitrary: fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 }).map(unitsToText) },
	{
		weight: 1,
		arbitrary: fc.tuple(fragment, fc.integer({ min: 1, max: 700 })).map(([part, n]) => part.repeat(n)),
	},
	{
		weight: 1,
		arbitrary: fc.string({ unit: fc.constantFrom('a', 'c', 'g', 't'), minLength: 90, maxLength: 600 }),
	},
);

function unitsToText(units: number[]): string {
	return String.fromCharCode(...units);
}

describe.each<Vocabulary>(['o200k', 'claude2'])('exact count of %s', (vocabulary) => {
	let counter: ExactCounter;
	let reference: (text: string) => number;

	beforeAll(async () => {
		counter = await counterFor(vocabulary);
		reference = referenceCount(vocabulary);
	}, 120_000);

	it('the exact count equals the reference tokenizer on strings of every kind', () => {
		fc.assert(
			fc.property(anyText, (text) => {
				expect(counter.count(text)).toBe(reference(text));
			}),
			{ numRuns: isThorough ? 100_000 : 500 },
		);
	}, 600_000);

	it('the exact count equals the reference tokenizer on every BMP character between letters', () => {
		const step = isThorough ? 1 : 13;
		const wrong: string[] = [];
		for (let unit = 0; unit < 0x10000; unit += step) {
			const text = `aB${String.fromCharCode(unit)}cD ${String.fromCharCode(unit)}1`;
			if (counter.count(text) !== reference(text)) wrong.push(unit.toString(16));
		}
		expect(wrong).toEqual([]);
	}, 120_000);

	it('the exact count reads special tokens as ordinary text and lone surrogates as U+FFFD', () => {
		expect(counter.count('<|endoftext|>')).toBeGreaterThan(1);
		expect(counter.count('a\ud800b')).toBe(counter.count('a\ufffdb'));
	});

	it('the exact count of the empty text is 0', () => {
		expect(counter.count('')).toBe(0);
	});

	it.each([
		['words', 'The quick brown fox, jumps over 13 lazy dogs.\n'],
		['an unbroken run', '12'],
		['emoji and words', '😀x '],
		['marks', 'e\u0301'],
	])('the exact count of a long text of %s equals the reference, regardless of splits', (_, unit) => {
		const text = unit.repeat(Math.ceil(17_000 / unit.length));
		expect(counter.count(text.slice(1))).toBe(reference(text.slice(1)));
	});

	it('the exact count takes linear time on runs without a break', () => {
		const length = 100_000;
		for (const run of ['a', ' ', '=', '中', '\n', 'A', '\u0301', '1']) {
			const spent = processorClock();
			counter.count(run.repeat(length));
			expect(spent()).toBeLessThan(1_000 * machineSlowness());
		}
	});

	describe.skipIf(corpusFolder === undefined)('on recorded sessions', needsCorpus, () => {
		it('the exact count equals the reference tokenizer on every recorded text', () => {
			const texts = corpusTexts().filter((_, index) => isThorough || index % 150 === 0);
			const wrong = texts.filter((text) => counter.count(text) !== reference(text));
			expect(wrong).toEqual([]);
		}, 600_000);
	});
});
