/** The token cost of prose in the language of a history. */

import { computeLanguageCostFactor } from '../../analysis/language.ts';
import type { Row } from '../../history/row.ts';
import { getMessageText } from '../../history/text.ts';
import { type Draft, type Effects, getOriginal, hasKind, rowKind } from '../draft.ts';

/** Number of newest messages that determine the language of a history. */
const maxSampledMessages = 24;

/** Returns the language cost factor of the newest messages of the user and the agent. */
export async function computeViewCostFactor(draft: Draft, { read, countText }: Effects): Promise<number> {
	const rows: Row[] = [];
	for (let item = draft.view.length - 1; item >= 0 && rows.length < maxSampledMessages; item--) {
		if (hasKind(draft, item, rowKind.result | rowKind.made) || !hasKind(draft, item, rowKind.inPlace))
			continue;
		const row = getOriginal(draft, item);
		if (!row.injected && row.role !== 'system') rows.unshift(row);
	}
	const messages = await read(rows);
	return computeLanguageCostFactor(
		messages.map((message) => ({ text: getMessageText(message), callCount: message.toolCalls?.length ?? 0 })),
		countText,
	);
}
