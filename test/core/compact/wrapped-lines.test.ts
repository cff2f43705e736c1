import { expect, it } from 'vitest';
import { splitSentences } from '../../../server/core/analysis/text/sentences.ts';
import { assistant, user } from './facts-sources.ts';
import { summaryOf } from './summaries.ts';

const sentencesOf = (text: string): string[] => splitSentences(text).map((sentence) => sentence.text);

it('a sentence that was wrapped at a width stays whole', () => {
	const wrapped =
		'The ferry waits at the new pier because the old one is closed until the storm is over, so \n  passengers walk along the quay. The next ferry leaves at noon from the same place.';
	expect(sentencesOf(wrapped)).toEqual([
		'The ferry waits at the new pier because the old one is closed until the storm is over, so passengers walk along the quay.',
		'The next ferry leaves at noon from the same place.',
	]);
});

it.each([
	['a list item', 'The ferry waits at the new pier because the old one is closed today\n- passengers walk'],
	[
		'a lettered item',
		'The ferry waits at the new pier because the old one is closed today\na) passengers walk',
	],
	['a named value', 'The ferry waits at the new pier because the old one is closed today\npier: north quay'],
	[
		'an address',
		'The ferry waits at the new pier because the old one is closed today\nhttps://example.com/pier',
	],
	[
		'a new sentence',
		'The ferry waits at the new pier because the old one is closed today.\nthen passengers walk',
	],
	['a short line', 'The ferry waits\npassengers walk along the quay'],
	['code', 'const ferry = await waitAtThePier({ pier: "north", until: stormIsOver },\nreturn ferry'],
])('%s is not joined with the line before it', (_, text) => {
	expect(splitSentences(text).some((sentence) => sentence.isOnNewLine && sentence.from > 0)).toBe(true);
});

it('lines in a block of code are not joined', () => {
	const code = 'passengers walk along the quay to the new pier because the old one\nis closed today';
	expect(sentencesOf(`\`\`\`\n${code}\n\`\`\``)).toEqual(code.split('\n'));
});

it('a summary shows a wrapped sentence on one line', () => {
	const text = summaryOf([
		user(1, 'Why does the ferry wait?'),
		assistant(
			2,
			'The ferry waits at the new pier because the old one is closed until the storm is over and\nthe quay is dry again.',
		),
		user(3, 'Thanks.'),
	]);
	expect(text).toContain('until the storm is over and the quay is dry again.');
});
