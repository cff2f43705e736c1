import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
	createLineExcerpt,
	findMatchRange,
	findOccurrence,
} from '../../client-vscode/src/text/occurrence.ts';
import { findExcerpt, parseSearchQuery } from '../../server/core/recall/rank.ts';

function textAt(text: string, range: { start: number; end: number } | undefined): string | undefined {
	return range && text.slice(range.start, range.end);
}

describe('the position of a match', () => {
	it('finds the whole query before its words, in any case', () => {
		const text = 'The port is set. The PORT Number is 8080.';
		expect(textAt(text, findOccurrence('  port number ', text))).toBe('PORT Number');
	});

	it('finds the longest word if the words do not follow each other', () => {
		const text = 'is the staging password known';
		expect(textAt(text, findOccurrence('the password is', text))).toBe('password');
	});

	it('finds nothing for a blank query, and for words that do not occur', () => {
		expect(findOccurrence('  ', 'text')).toBeUndefined();
		expect(findOccurrence('zebra', 'text')).toBeUndefined();
	});

	it('selects within the excerpt, not at an earlier occurrence in the document', () => {
		const document = `port\n${'filler line\n'.repeat(50)}the port is 8080\n`;
		const range = findMatchRange(document, '…filler line\nthe port is 8080\n', 'port');
		expect(range?.start).toBe(document.lastIndexOf('port'));
	});

	it.each(['\n', '\r\n'])('finds an excerpt whose line ends the editor changed to %j', (lineEnd) => {
		const document = ['one', 'two words', 'three'].join(lineEnd);
		expect(textAt(document, findMatchRange(document, 'one\r\ntwo words\nthree', 'words'))).toBe('words');
	});

	it('falls back to the whole document if the excerpt is not in it', () => {
		expect(findMatchRange('a zebra', 'something else', 'zebra')).toEqual({ start: 2, end: 7 });
		expect(findMatchRange('a lion', 'something else', 'zebra')).toBeUndefined();
	});

	it('stays inside a document whose characters become longer in lower case', () => {
		const document = `${'İ'.repeat(40)} zebra`;
		const range = findMatchRange(document, document, 'zebra');
		expect(range).toEqual({ start: 0, end: document.length });
	});

	it('selects a word of the query for every excerpt that the daemon cuts', () => {
		const word = fc.constantFrom('alpha', 'Beta', 'gamma', '🦓', 'é', '\n', '$(x)');
		fc.assert(
			fc.property(fc.array(word, { minLength: 1, maxLength: 400 }), fc.nat(), (words, at) => {
				const wanted = words[at % words.length] ?? '';
				fc.pre(wanted.trim() !== '');
				const document = words.join(' ');
				const excerpt = findExcerpt(document, parseSearchQuery(wanted));
				const found = textAt(document, findMatchRange(document, excerpt, wanted));
				expect(found?.toLowerCase()).toBe(wanted.toLowerCase());
				expect(createLineExcerpt(excerpt, wanted)).not.toMatch(/\n/);
			}),
		);
	});

	it('begins the line of a list shortly before the match', () => {
		const line = createLineExcerpt(`${'word '.repeat(40)}and the zebra\n\tcrosses`, 'zebra');
		expect(line).toMatch(/^…/);
		expect(line.indexOf('zebra')).toBeLessThanOrEqual(31);
		expect(line).toMatch(/the zebra crosses$/);
		expect(createLineExcerpt('the zebra', 'zebra')).toBe('the zebra');
	});
});
