/** What is said of a history that is taken along from a followed session. */

import type { CompactResult } from '../../../server/protocol/compact.ts';
import { tokensText } from '../text/figures.ts';
import { receiptText } from '../text/receiptText.ts';
import type { Followed } from '../usage/usage.ts';

export interface TakenAlong {
	/** Over the list of ways to take it along. */
	heading: string;
	/** Why it is to be taken along. */
	why: string;
	/** The first line of it. */
	title: string;
}

/** The words for a history that a compaction made, or found nothing to do in. */
export function takenAlong(
	compaction: CompactResult,
	{ followed, title }: { followed: Followed; title?: string },
): TakenAlong {
	const name = followed.label;
	const about = title ? `“${title}” (${name})` : `a session of ${name}`;
	const after = tokensText(compaction.tokensAfter);
	if (!compaction.compacted) {
		return {
			heading: `History (${after} tokens)`,
			why: receiptText(compaction),
			title: `History of ${about}: ${after} tokens.`,
		};
	}
	const saving = `${tokensText(compaction.tokensBefore)} → ${after}`;
	return {
		heading: `Compacted History (${saving} tokens)`,
		why: `${name} keeps its own context: take the compacted history along`,
		title: `Compacted history of ${about}: ${saving} tokens.`,
	};
}
