/** Finds the requests of the user that the agent refused, or could not do. */

import type { Source } from '../message/source.ts';
import { truncateWithMark } from '../text/quote.ts';
import { sentenceOrLineEndPattern } from '../text/sentences.ts';
import { isTyped } from './userStatements.ts';

/** A refusal of the agent, in its words. */
export interface AgentRefusal {
	source: Source;
	text: string;
}

/** Length of an answer's start that is searched for a refusal, and maximum length of the quoted sentence. UTF-16 units. */
const maxLengthOf = { start: 600, sentence: 200 } as const;

/** A sentence that says that the agent cannot do something, or may not. */
const refusalPattern =
	/^(?:(?:i(?:['’]m| am) (?:so |very |really )?sorry|i apologi[sz]e|unfortunately|sorry|but|however|as (?:i said|mentioned))\b[^.!?\n]{0,120}?)?\b(?:i|we)(?:['’]m| am| are)? (?:(?:really |still |also )?(?:cannot|can['’]?t|can not)|(?:not able|unable|not (?:allowed|permitted|authorized)) to) (?!(?:confirm|find|see|tell|say|reproduce|think|know|rule out|recall)\b)|^(?:leider )?(?:kann|darf) ich\b[^.!?\n]{0,160}\bnicht\b|^(?:抱歉|很遗憾|对不起)[^。\n]{0,60}(?:无法|不能)|(?:申し訳|残念)[^。\n]{0,80}(?:できません|できかねます)/iu;

/** Returns the refusals at the start of answers that end a turn, by the message that they answer. O(messages). */
export function findAgentRefusals(sources: readonly Source[]): Map<Source, AgentRefusal> {
	const refusals = new Map<Source, AgentRefusal>();
	let request: Source | undefined;
	for (const source of sources) {
		if (isTyped(source)) request = source;
		if (source.role !== 'assistant' || source.calls.length > 0 || request === undefined) continue;
		const start = source.text
			.slice(source.thoughtLength ?? 0)
			.trimStart()
			.slice(0, maxLengthOf.start);
		const sentence = start.split(sentenceOrLineEndPattern).find((one) => refusalPattern.test(one.trim()));
		if (sentence !== undefined)
			refusals.set(request, { source, text: truncateWithMark(sentence.trim(), maxLengthOf.sentence) });
		request = undefined;
	}
	return refusals;
}
