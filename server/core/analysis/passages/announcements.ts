/** Finds the sentence of a message that only announces the message's calls. */

import { isPlanCall } from '../calls/plans.ts';
import type { Source } from '../message/source.ts';
import { isReadOnly } from '../shell/commands.ts';
import { isLookAnnouncement } from '../text/cues.ts';
import { introductionPattern, removeLastSentence } from '../text/sentences.ts';

/** Number of last letters in which two texts must be equal to have the same end. */
const comparedLetters = 6;
/** Length of a text's end that is searched for its last letters, in UTF-16 units. */
const comparedRange = 24;

/** Whether a text ends an agent's message and introduces the calls of this message. */
export function announcesCalls(text: string, { role, calls, text: all }: Source): boolean {
	if (role !== 'assistant' || calls.length === 0 || !introductionPattern.test(text)) return false;
	const [textEnd, allEnd] = [text, all].map((one) => one.trimEnd().slice(-comparedRange)) as [string, string];
	return introductionPattern.test(allEnd) && getLastLetters(textEnd) === getLastLetters(allEnd);
}

/** Returns the last letters and digits of a text, without Markdown marks. */
function getLastLetters(text: string): string {
	return text.replace(/[^\p{L}\p{N}]/gu, '').slice(-comparedLetters);
}

/** Returns a part of a message's text without the sentence that only announces the message's calls, if they only read. */
export function removeAnnouncement(text: string, source: Source): string {
	const { role, calls } = source;
	const isReading =
		role === 'assistant' && calls.length > 0 && calls.every((call) => isPlanCall(call) || isReadOnly(call));
	if (!isReading) return text;
	const leading = removeLastSentence(text);
	return announcesCalls(text, source) || (leading === '' && isLookAnnouncement(text)) ? leading : text;
}
