/** Finds the requests of the user that the agent refused, or could not do. */

import type { Source } from '../message/source.ts';
import { isReadOnly } from '../shell/commands.ts';
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
	/^(?:(?:i(?:['’]m| am) (?:so |very |really )?sorry|i apologi[sz]e|unfortunately|sorry|but|however|as (?:i said|mentioned))\b[^.!?\n]{0,120}?)?\b(?:i|we)(?:['’]m| am| are)? (?:(?:really |still |also )?(?:cannot|can['’]?t|can not)|(?:not able|unable|not (?:allowed|permitted|authorized)) to) (?!(?:believe|break|confirm|find|help|imagine|know|recall|reproduce|rule out|say|see|tell|think|wait)\b)|^(?:leider )?(?:kann|darf) ich\b[^.!?\n]{0,160}\bnicht\b|^(?:抱歉|很遗憾|对不起)[^。\n]{0,60}(?:无法|不能)|(?:申し訳|残念)[^。\n]{0,80}(?:できません|できかねます)/iu;

/** What follows in a report that only mentions a limitation: "I can't run the simulator, but the button is in place." */
const reportPattern = /[,;–—-] ?(?:so|but|and|therefore|instead)\b/i;

/**
 * Returns the refusals at the start of answers that end a turn, by the message that they answer. None for a turn that did
 * more than look things up: its answer reports work. O(messages).
 */
export function findAgentRefusals(sources: readonly Source[]): Map<Source, AgentRefusal> {
	const refusals = new Map<Source, AgentRefusal>();
	let requests: Source[] = [];
	let hasWorked = false;
	for (const [index, source] of sources.entries()) {
		if (isTyped(source)) requests.push(source);
		if (source.role !== 'assistant') continue;
		hasWorked ||= source.calls.some((call) => !isReadOnly(call));
		const next = sources[index + 1];
		if (source.calls.length > 0 || (next !== undefined && !isTyped(next))) continue;
		const [request, ...others] = requests;
		const text = hasWorked || others.length > 0 ? undefined : findRefusal(source);
		if (request && text !== undefined) refusals.set(request, { source, text });
		requests = [];
		hasWorked = false;
	}
	return refusals;
}

/** Returns the first sentence of an answer that refuses something. */
function findRefusal({ text, thoughtLength = 0 }: Source): string | undefined {
	const start = text.slice(thoughtLength).trimStart().slice(0, maxLengthOf.start);
	const sentence = start.split(sentenceOrLineEndPattern).find((one) => {
		const [refusal] = refusalPattern.exec(one.trim()) ?? [];
		return refusal !== undefined && !reportPattern.test(one.trim().slice(refusal.length));
	});
	return sentence === undefined ? undefined : truncateWithMark(sentence.trim(), maxLengthOf.sentence);
}
