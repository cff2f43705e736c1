/** Finds the question that the user's next message answers. */

import type { Source } from '../message/source.ts';
import { isOffer } from '../text/cues.ts';
import { maskSecrets } from '../text/secrets.ts';
import { splitSentences } from '../text/sentences.ts';
import { isShortAnswer } from '../text/statements.ts';

/** Maximum length of an agent's last paragraph that is searched for a question. UTF-16 units. */
const maxParagraphLength = 400;
/** Length at the end of a message that is searched for keys and a question. UTF-16 units. */
const maxSearchedLength = 8000;
/** Maximum length of the last two questions of a paragraph, which one answer may answer. UTF-16 units. */
const maxBothLength = 160;
/** A block of code that ends a message, from the line of its opening fence. */
const closingFencePattern = /\n(?:```|~~~)$/;
/** The start of a question that offers to do something or asks for a decision, or the end of one in Chinese or Japanese. */
const offerPattern =
	/^[^\p{L}]*(?:(?:so|now|then|ok(?:ay)?|also)[, ]+)*(?:(?:do you )?want|would|should|shall|do you|can|could|may|ready|is (?:this|that|it) (?:ok(?:ay)?|fine|good|right)|soll|sollen|möchtest|möchten|willst|darf|kann|passt)(?![\p{L}\p{N}])|(?:ましょうか|ますか|ですか|吗|要不要[^?？]{0,60}|可以[^?？]{0,20})[?？]$/iu;
/** A question that is shown with its answer, perhaps in bold text or in quotation marks: `**Shall I?**`. It may name files. */
const questionPattern =
	/(?:[^.!?。！？\n]|\.(?:(?=[\w`,])|(?![\w`,])(?<=\b(?:e\.g|i\.e|vs|cf|bzw|[zp]|z\. ?B|p\. ?ex)\.))){4,200}(?:\?(?=[*_"'”’)\]]{0,4}(?:\s|$))|？)/g;

/** A message of the user that is only a word, after which the answer to a question may follow: "wait". */
const asidePattern = /^\p{L}{1,8}[.!…]{0,3}$/u;

/** The agent's answer to a message without text. What it asks is answered by chance only. */
const emptyMessagePattern =
	/\byour (?:last |latest )?message (?:came through|was|is|seems(?: to be)?|appears(?: to be)?) (?:empty|blank)\b|\b(?:deine|Ihre) Nachricht (?:ist|war) leer\b|(?:你|您)的消息(?:是|为)空/i;

/** Returns the question that the user's message at an index answers. */
export function findAnsweredQuestion(sources: readonly Source[], index: number): string | undefined {
	const before = sources[index - 1];
	const isAside = before?.role === 'user' && asidePattern.test(before.text.trim());
	const asking = isAside ? sources[index - 2] : before;
	return asking && emptyMessagePattern.test(asking.text.slice(0, maxParagraphLength))
		? undefined
		: (findClosingQuestion(asking) ?? findQuestionLine(asking));
}

/** Length at the end of a message, and number of its lines, that are searched for a line that asks something. */
const lineLimits = { length: 2400, lines: 16, linesOfProse: 1 } as const;
/** A line that belongs to a list or a table, or introduces one. */
const listLinePattern = /^\s*(?:[-*+•|]|\(?(?:\d{1,3}|[a-zA-Z])[.):])|^\s{2}|[:：][*_\s]{0,4}$/;
/** A line that asks something: also a heading or a numbered one, perhaps with a remark in brackets at its end. */
const questionLinePattern = /[?？][*_"'”’)\]]{0,4}(?:\s?[(（][^()（）]{1,80}[)）])?\s*$/;
/** A question that the agent answers itself. */
const explainedPattern =
	/^[^\p{L}]*(?:why|how (?:come|does|did|is|was|it)|what (?:is|are|was|were|does|did|went|happened|this|that|changed)|warum|wieso|was (?:ist|war)|为什么|什么是|なぜ)(?![\p{L}\p{N}])/iu;

/** Returns the end of a message with its keys shortened, because the end of a key alone is not recognized. */
function readEnd({ text }: Source): string {
	return maskSecrets(text.slice(-maxSearchedLength));
}

/** Returns the last line of a message that asks something, if only a list and one more line follow. */
function findQuestionLine(source: Source | undefined): string | undefined {
	if (source?.role !== 'assistant') return undefined;
	const lines = readEnd(source).slice(-lineLimits.length).split('\n');
	const last = lines.filter((line) => line.trim() !== '').slice(-lineLimits.lines);
	const at = last.findLastIndex((line) => questionLinePattern.test(line));
	const proseCount = last.slice(at + 1).filter((line) => !listLinePattern.test(line)).length;
	const question = last[at]?.trim().replace(/^[#>*_-]{1,6}\s*/, '');
	if (question === undefined || proseCount > lineLimits.linesOfProse || explainedPattern.test(question))
		return undefined;
	return question.length <= maxParagraphLength ? question.replace(/^\*{2}|\*{2}$/g, '') : undefined;
}

/** The start of an answer that refers to the question: "that seems fine". */
const referringPattern =
	/^(?:(?:yeah|ok(?:ay)?|sure|i think|i guess),? )?(?:that|this|it|these|those|both|either|neither)\b(?: (?!you\b)\w{1,12}){0,2}? (?:seems?|looks?|sounds?|is|are|works?|would|will|can|should)\b/i;
/** The first words of an answer, up to a mark. */
const firstWordsPattern = /^[^,.;:!?()\n，。；：！？（）]{3,60}/;

/** Whether an answer is not clear without its question, because it is short, refers to it or begins with an option in it. */
export function needsQuestion(answer: string, question: string): boolean {
	if (isShortAnswer(answer)) return true;
	const [option = ''] = firstWordsPattern.exec(answer.trim()) ?? [];
	const isNamed = option !== '' && simplify(question).includes(simplify(option));
	return isNamed || referringPattern.test(answer.trim());
}

/** Returns a text in lower case without marks, with a space around each word. */
function simplify(text: string): string {
	return ` ${text
		.toLowerCase()
		.replace(/[^\p{L}\p{N}]{1,9}/gu, ' ')
		.trim()} `;
}

/**
 * Returns the last question in the last paragraph of an agent's message, with the one before it if both are short, or an offer
 * above a block of code at its end. If the paragraph asks nothing, returns its last offer.
 */
export function findClosingQuestion(source: Source | undefined): string | undefined {
	if (source?.role !== 'assistant') return undefined;
	const text = readEnd(source).trimEnd();
	const fence = closingFencePattern.exec(text.slice(-4))?.[0];
	const end = fence === undefined ? text.length : text.lastIndexOf(fence, text.length - fence.length - 1);
	const tail = text.slice(Math.max(0, end - maxParagraphLength), Math.max(0, end)).trimEnd();
	const paragraph = tail.slice(tail.lastIndexOf('\n\n') + 1);
	if (!/[?？]/.test(tail)) return splitSentences(paragraph).findLast((one) => isOffer(one.text))?.text;
	const questions = (paragraph.match(questionPattern) ?? []).map((question) =>
		question.replace(/^[\s*_]+/, ''),
	);
	const asked = questions.filter((question) => fence === undefined || offerPattern.test(question));
	const both = asked.slice(-2).join(' ');
	return both.length <= maxBothLength ? both || undefined : asked.at(-1);
}
