/** Decisions, open questions and wishes of the agent: the blog's headings set them apart from what else was said. */

import { isDecision } from '../thread/cues.ts';
import type { Entry } from './entries.ts';
import type { Section } from './headings.ts';

/** The agent's own words, as a label without a call or another speaker shows them. */
const agentsLabel = /^\[#\d+\]$/;

const asksTheUser =
	/\b(?:please|could you|can you|you (?:need|have|will have) to|you (?:should|must|may want to)|let me know|your (?:turn|call|decision))\b|ください|お願い|请您?|\b(?:bitte|Sie müssen|du musst)\b/i;

function topicOf({ text }: Entry): Section | undefined {
	if (asksTheUser.test(text)) return 13;
	if (/[?？]\s*$/.test(text)) return 12;
	return isDecision(text) ? 11 : undefined;
}

/** The entries, those of the thread under the topic that they are of. */
export function byTopic(entries: readonly Entry[]): Entry[] {
	return entries.map((entry) => {
		const isThread = (entry.section === 6 || entry.section === 7) && agentsLabel.test(entry.label);
		const section = isThread ? topicOf(entry) : undefined;
		return section === undefined ? entry : { ...entry, section };
	});
}
