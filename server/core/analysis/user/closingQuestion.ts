/** Finds the question that the user's next message answers. */

import type { Source } from '../message/source.ts';
import { isOffer } from '../text/cues.ts';
import { splitSentences } from '../text/sentences.ts';

/** Maximum length of an agent's last paragraph that is searched for a question. UTF-16 units. */
const maxParagraphLength = 400;
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
		: findClosingQuestion(asking);
}

/**
 * Returns the last question in the last paragraph of an agent's message, with the one before it if both are short, or an offer
 * above a block of code at its end. If the paragraph asks nothing, returns its last offer.
 */
export function findClosingQuestion(source: Source | undefined): string | undefined {
	if (source?.role !== 'assistant') return undefined;
	const text = source.text.trimEnd();
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
