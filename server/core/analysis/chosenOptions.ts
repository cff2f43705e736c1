/** Finds the options that the numbers or letters in a short answer of the user mean: `1 and 3`. */

import { getMessageName } from './labels.ts';
import { quoteLine, truncateWithMark } from './quote.ts';
import type { Source } from './source.ts';

/** Maximum length of an answer that names options. UTF-16 units. */
const maxAnswerLength = 40;
/** Length at the end of an agent's message that is searched for options. UTF-16 units. */
const maxOptionsLength = 6000;
/** Maximum length of a shown option. UTF-16 units. */
const maxOptionLength = 90;
/** Words around the numbers or letters of an answer. */
const fillerPattern =
	/\b(?:ok(?:ay)?|yes|yeah|let's|lets|please|thanks?|thank you|do|go|with|for|take|choose|pick|i|we|want|prefer|the|first|then|both|just|only|options?|choices?|numbers?|items?|nr|no|and|or|und|oder|dann|bitte|nimm|nehmen|wir|ja)\b|選択肢|番|で|お願いします|选项?|和/giu;
const namePattern = /^(?:\d{1,2}|[a-e])$/i;
/** A question about a choice, not about an amount. */
const choiceQuestionPattern =
	/\b(?:which|what (?:would|do|should) (?:you|we|i)|would you like|do you want|prefer|options?|choose|pick|should (?:i|we)|shall (?:i|we)|how (?:would|do|should) (?:you|we|i)|next|welche\w*|was (?:soll|möchte)\w*|soll ich)\b|どれ|どちら|どう|哪|还是/i;
const optionPattern = /^[\s>*_-]{0,12}(?:option\s)?[(*]{0,3}(\d{1,2}|[a-eA-E])[.):](?:\*\*)?\s+(\S.*)/i;

/** Returns the names of the options in an answer that contains nothing else: `1+2`, `option b, please`. */
function readNames(answer: string): string[] {
	if (answer.length > maxAnswerLength) return [];
	const words = answer
		.replace(fillerPattern, ' ')
		.split(/[\s+,;&/.!()#:'"。、，]+/)
		.filter((word) => word !== '');
	return words.every((word) => namePattern.test(word)) ? words.map((word) => word.toLowerCase()) : [];
}

/**
 * Returns the options that an answer names, word for word, from the agent's message before it: `listed in #8: 1) Run
 * the tests; 2) Start`. Empty unless the message asks for a choice and lists all named options.
 */
export function findChosenOptions(answer: string, message: Source | undefined): string {
	if (message?.role !== 'assistant') return '';
	const names = readNames(answer.trim());
	if (names.length === 0) return '';
	const text = message.text.slice(message.thoughtLength ?? 0).slice(-maxOptionsLength);
	const questions = text.split('\n').filter((line) => /[?？]|[:：]\s*$/.test(line));
	if (!questions.some((line) => choiceQuestionPattern.test(line))) return '';
	const options = new Map<string, string>();
	for (const line of text.split('\n')) {
		const [, name = '', option] = optionPattern.exec(line) ?? [];
		// If several lists have this name, the question is about the last one.
		if (option !== undefined) options.set(name.toLowerCase(), option.trim());
	}
	const chosen = names.map((name) => {
		const option = options.get(name);
		return option && `${name}) ${quoteLine(truncateWithMark(option, maxOptionLength))}`;
	});
	return chosen.includes(undefined) ? '' : `listed in ${getMessageName(message)}: ${chosen.join('; ')}`;
}
