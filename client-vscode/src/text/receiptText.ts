/** What a compaction did, in a sentence. */

import type { CompactResult } from '../../../server/protocol/compact.ts';
import { percentText, tokensText } from './figures.ts';

/** A sentence about a compaction; where nothing was done, why. */
export function receiptText(result: CompactResult): string {
	if (!result.compacted) {
		const why = result.reason ?? 'there was nothing that could go';
		return `Nothing was compacted: ${why.replace(/\.$/, '')}.`;
	}
	const { tokensBefore, tokensAfter, tokensSaved, removed, summary } = result;
	const share = percentText(tokensSaved / Math.max(1, tokensBefore));
	const count = removed.length === 1 ? '1 message' : `${removed.length} messages`;
	const by =
		summary && summary.by !== 'extract' && summary.by !== 'none' ? `, summarized by ${summary.by}` : '';
	return `Context compacted: ${tokensText(tokensBefore)} → ${tokensText(tokensAfter)} tokens (${share} less, ${count}${by}).`;
}
