/** Finds the options that the numbers or letters in a short answer of the user mean: `1 and 3`, `option b`. */

import { getMessageName, type Source } from '../message/source.ts';
import { quoteLine, truncateWithMark } from '../text/quote.ts';
import { isRequest } from '../text/statements.ts';

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
/** Options that an answer excludes after others: "1 and 2, no 3". */
const refusedNamePattern = /\d.{0,20}\b(?:no|not|kein\w*|nicht) \d/i;
/** A question about a choice, not about an amount. */
const choiceQuestionPattern =
	/\b(?:which|what (?:would|do|should) (?:you|we|i)|would you like|do you want|prefer|options?|choose|pick|should (?:i|we)|shall (?:i|we)|how (?:would|do|should) (?:you|we|i)|next|whether (?:you|we|i|to)|welche\w*|was (?:soll|möchte)\w*|soll ich)\b|どれ|どちら|どう|哪|还是/i;
const amountQuestionPattern =
	/\bhow (?:many|much|often|long)\b|\b(?:number of|count|width|size|priority|level|timeout|port|line|seconds|minutes|retries)\b|\bwie ?(?:viele?|oft|lange)\b|\b(?:Stufe|Anzahl|Zeile)\b|\bcu[aá]nt|\bcombien\b|\bquant[ie]\b|сколько|几(?:个|次|份|行)|多少|いくつ|何(?:個|回|行)/i;
const optionPattern = /^[\s>*_-]{0,12}(?:option\s)?[(*]{0,3}(\d{1,2}|[a-eA-E])[.):](?:\*\*)?\s+(\S.*)/i;
/** A row of a table whose first cell begins with a number or letter: `| **A. Retry** | simple |`, `| 1 | Retry |`. */
const optionRowPattern = /^\s{0,9}\|\s{0,9}\*{0,2}(\d{1,2}|[a-e])(?:[.):]|\*{0,2}\s{0,9}\|)\s{0,9}(\S.*)/i;
/** Maximum number of lines between the last option and the end of a message that asks for a choice without words for it. */
const maxLinesAfterOptions = 2;

/** A question about everything that a list names. */
const wholeListPattern =
	/\b(?:these|those|all|both|them|the (?:plan|changes|steps|fixes)|diese|alle|beide)\b|これら|全部|这些/i;
/** Maximum length of a list that an approval shows whole. */
const maxApprovedOptions = 5;

/** An option of a list. */
interface Option {
	/** Its number or letter, in lower case. */
	name: string;
	text: string;
}

/** The option with which a longer answer begins: `A is fine`, `(b), but …`, `option 2, please`. */
const leadingNamePattern =
	/^(?:(?:option )([a-e]|\d{1,2})(?![\p{L}\p{N}])|\(?([a-e])\)?(?=[,.:;]|\s(?:is|ist|sounds|klingt|looks)\s))/iu;

function splitWords(text: string): string[] {
	return text.split(/[\s+,;&/.!()#:'"。、，]+/).filter((word) => word !== '');
}

/** Returns the names of the options in an answer that contains nothing else: `1+2`, `option b, please`. */
function readNames(answer: string): string[] {
	if (answer.length > maxAnswerLength) return [];
	if (refusedNamePattern.test(answer)) return [];
	const words = splitWords(answer.replace(fillerPattern, ' '));
	return words.every((word) => namePattern.test(word)) ? words.map((word) => word.toLowerCase()) : [];
}

/** A number or letter in front of a part of an answer: `1. yes`, `2 yes`, `a) yes`. */
const partPattern = /(?<=^|[\n,;.!?])[\s>*_-]{0,8}(?:(\d{1,2})(?:[.):]|(?= \p{L}))|([a-e])[.):])\s+(?=\S)/giu;

/** Returns the numbers or letters of an answer's parts, in ascending order: `1. yes`, `1) only the tests, 2) no`. */
function readAnsweredNames(answer: string): string[] {
	const parts = answer.length > maxOptionsLength ? [] : [...answer.matchAll(partPattern)];
	const names = parts.map(([, number, letter = '']) => number ?? letter.toLowerCase());
	const areOrdered = names.every(
		(name, index) => index === 0 || compareNames(name, names[index - 1] ?? '') > 0,
	);
	return parts[0]?.index === 0 && names.length > 1 && areOrdered ? names : [];
}

/** Returns the lists of options in a text. A name that does not follow the name before it begins a list. */
function readLists(text: string): Option[][] {
	const lists: Option[][] = [];
	for (const line of text.split('\n')) {
		const [, name = '', option] = optionPattern.exec(line) ?? [];
		const [, rowName = '', cells] = option === undefined ? (optionRowPattern.exec(line) ?? []) : [];
		if (option === undefined && cells === undefined) continue;
		const one = {
			name: (name || rowName).toLowerCase(),
			text: balanceMarks(option?.trim() ?? joinCells(cells)),
		};
		const last = lists.at(-1)?.at(-1);
		if (last && compareNames(one.name, last.name) > 0) lists.at(-1)?.push(one);
		else lists.push([one]);
	}
	return lists;
}

/** Returns the first two cells of a table row, where the option and its description stand. */
function joinCells(row = ''): string {
	const cells = row.split('|').map((cell) => cell.trim());
	return cells
		.filter((cell) => cell !== '')
		.slice(0, 2)
		.join(': ');
}

/** Returns an option without the mark that closes bold text if the mark that opens it is before the option's name. */
function balanceMarks(option: string): string {
	return option.split('**').length % 2 === 0 ? option.replace('**', '') : option;
}

function compareNames(a: string, b: string): number {
	return a.length - b.length || (a < b ? -1 : Number(a > b));
}

/** Returns the lines that ask something or introduce a list; none if the last question is about an amount. */
function listQuestions(text: string): string[] {
	const questions = text.split('\n').filter((line) => /[?？]|[:：]\s*$|^[\s*-]{0,9}whether\b/i.test(line));
	const lastQuestion = questions.findLast((line) => /[?？]/.test(line)) ?? '';
	return amountQuestionPattern.test(lastQuestion) ? [] : questions;
}

/** Whether a text asks for a choice. */
function asksForChoice(text: string): boolean {
	return listQuestions(text).some((line) => choiceQuestionPattern.test(line));
}

/** Whether a text asks something in any language and has options at its end, so that a mere "2" means one of them. */
function endsWithOptions(text: string): boolean {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	const last = lines.findLastIndex((line) => optionPattern.test(line) || optionRowPattern.test(line));
	return listQuestions(text).length > 0 && lines.length - 1 - last <= maxLinesAfterOptions;
}

/** Returns the options with these names; undefined in place of one that no list has. */
function selectByName(names: readonly string[], text: string): (Option | undefined)[] {
	// If several lists have a name, the question is about the last one.
	const options = new Map(
		readLists(text)
			.flat()
			.map((option) => [option.name, option]),
	);
	return names.map((name) => options.get(name));
}

/** An answer that means all options of a list, perhaps with their number. */
const allPattern =
	/^(?:(?:do|run|use|yes|ok(?:ay)?|please),? ){0,2}(all|both|alle|beide)(?: (?:of )?(?:them|these|those))?(?: (\d|two|three|four|five))?[.!]{0,3}$/i;
const countWords = ['two', 'three', 'four', 'five'];
/** The line above a list of what the agent could do: "Next steps to try:". */
const offeredListPattern =
	/\b(?:next|options?|try|could|can|suggest\w*|recommend\w*|remaining|propos\w+|plan|ways|ideas?|vorschl\w+|möglichkeiten)\b[^\n]{0,120}:\W{0,4}$/i;

/** A question about the items of a list. */
const listQuestionPattern = /\b(?:which|these|those|them|welche\w*|davon)\b|どれ|哪/i;

/** Returns the options of the only list of a text, if an answer means all of them: `do all 3`. */
function selectAll(answer: string, text: string): Option[] {
	if (answer.length > maxAnswerLength) return [];
	const [, all, count] = allPattern.exec(answer) ?? [];
	if (all === undefined) return [];
	const [list, ...others] = readLists(text);
	if (list === undefined || others.length > 0 || list.length > maxApprovedOptions) return [];
	const named =
		count === undefined ? undefined : Number(count) || 2 + countWords.indexOf(count.toLowerCase());
	const expected = named ?? (/^b/i.test(all) ? 2 : list.length);
	return list.length > 1 && list.length === expected && isAboutList(text, named !== undefined) ? list : [];
}

/** Whether an answer without names of options is about the list of a text: the agent asks which, or offers what it lists. */
function isAboutList(text: string, isCounted: boolean): boolean {
	const lines = text.split('\n').filter((line) => line.trim() !== '');
	const first = lines.findIndex((line) => optionPattern.test(line));
	if (isCounted && offeredListPattern.test(lines[first - 1] ?? '')) return true;
	const question = lines.findLast((line) => /[?？]\s*$/.test(line)) ?? '';
	// "Docs or tests?" offers other things.
	return listQuestionPattern.test(question) && !/ (?:or|and|oder|und) /.test(question);
}

/** Returns the options of the last list, if it is short. */
function selectLastList(text: string): Option[] {
	const last = readLists(text).at(-1) ?? [];
	return last.length > 1 && last.length <= maxApprovedOptions ? last : [];
}

/** Returns options with the message that lists them; empty if there are none, or one is missing. */
function renderOptions(message: Source, options: readonly (Option | undefined)[]): string {
	const shown = options.map(
		(option) => option && `${option.name}) ${quoteLine(truncateWithMark(option.text, maxOptionLength))}`,
	);
	return shown.length === 0 || shown.includes(undefined)
		? ''
		: `listed in ${getMessageName(message)}: ${shown.join('; ')}`;
}

/** Returns the options with these names after the question above or below them; empty if the question names one of them. */
function renderWithQuestion(message: Source, names: readonly string[], text: string): string {
	const question = listQuestions(text).findLast((line) => /[?？]/.test(line)) ?? '';
	const options = renderOptions(message, selectByName(names, text));
	if (options === '' || splitWords(question).some((word) => names.includes(word.toLowerCase()))) return '';
	return question === ''
		? options
		: `asked: ${quoteLine(truncateWithMark(question.trim(), maxOptionLength))}; ${options}`;
}

/**
 * Returns the options that an answer names or approves, word for word, from the agent's message before it: `listed in #8:
 * 1) Run the tests; 2) Start`. Empty unless the message lists all of them. An answer of numbers or letters also needs a
 * question about a choice in the message. An approval needs a `question`, with which the message ends, about the whole
 * list; its options follow this question. An answer with several numbered parts needs a question with each number.
 */
export function findChosenOptions(
	answer: string,
	message: Source | undefined,
	question: string | undefined,
): string {
	if (message?.role !== 'assistant') return '';
	const text = message.text.slice(message.thoughtLength ?? 0).slice(-maxOptionsLength);
	const trimmedAnswer = answer.trim();
	const names = readNames(trimmedAnswer);
	const isOnlyNames = splitWords(trimmedAnswer).every((word) => namePattern.test(word));
	if (names.length > 0 && asksForChoice(text)) return renderOptions(message, selectByName(names, text));
	if (names.length > 0)
		return isOnlyNames && endsWithOptions(text) ? renderWithQuestion(message, names, text) : '';
	const [, numbered, lettered] = leadingNamePattern.exec(trimmedAnswer) ?? [];
	const leading = (numbered ?? lettered)?.toLowerCase();
	if (leading !== undefined) return renderOptions(message, selectByName([leading], text));
	const all = selectAll(trimmedAnswer, text);
	if (all.length > 0) return renderOptions(message, all);
	const questions = selectByName(readAnsweredNames(trimmedAnswer), text);
	if (questions.length > 0)
		return questions.every((one) => one && /[?？]/.test(one.text)) ? renderOptions(message, questions) : '';
	const isApproval = trimmedAnswer !== '' && !isRequest(trimmedAnswer);
	if (!isApproval || question === undefined || !wholeListPattern.test(question)) return '';
	const options = renderOptions(message, selectLastList(text));
	return options === '' ? '' : `asked: ${quoteLine(question)}; ${options}`;
}
