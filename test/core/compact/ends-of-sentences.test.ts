import { expect, it } from 'vitest';
import {
	removeLastSentence,
	sentenceOrLineEndPattern,
	splitSentences,
} from '../../../server/core/analysis/text/sentences.ts';
import { findClosingQuestion } from '../../../server/core/analysis/user/closingQuestion.ts';
import { assistant } from './facts-sources.ts';

const texts = (text: string) => splitSentences(text).map((sentence) => sentence.text);

it.each([
	'The rules of another watch (e.g. Night watch of the pier) are no longer in force.',
	'The harbour knows other signals, i.e. Flags and lamps of the pilot.',
	'We compare the tide table cf. "Tides of the north" with the gauge.',
	'The pier needs lamps, ropes etc. "as usual" before the winter begins.',
	'Der Hafen braucht andere Signale, z. B. Flaggen und Lampen des Lotsen.',
	'Le port utilise un autre signal, p. ex. Les drapeaux du pilote de nuit.',
])('an abbreviation ends no sentence: %s', (text) => {
	expect(texts(text)).toEqual([text]);
});

it('a sentence after one that ends with "etc." stays separate', () => {
	const said = ['The pier needs lamps, ropes, buoys etc.', 'The winter begins in a few weeks.'];
	expect(texts(said.join(' '))).toEqual(said);
});

it('the last sentence of a text may contain an abbreviation', () => {
	expect(removeLastSentence('The gauge is set. I read the tables (e.g. Tides) next.')).toBe(
		'The gauge is set.',
	);
	expect('Use a lamp, e.g. the old one. It works.'.split(sentenceOrLineEndPattern)).toHaveLength(2);
});

it.each([
	'Where should the tide table go (e.g., `TIDES.md` or `docs/TIDES.md`)?',
	'Shall I use another signal, e.g. Flags at the pier?',
	'Soll der Lotse ein anderes Signal nehmen, z. B. Flaggen?',
])('a question is not cut at its abbreviation: %s', (question) => {
	expect(findClosingQuestion(assistant(2, `The lamp is out. ${question}`))).toBe(question);
});

it('a short exclamation is shown with the sentence to which it draws attention', () => {
	const text = 'A second critical problem! The pier of the north harbour is closed in winter.';
	expect(texts(text)).toEqual([text]);
});
