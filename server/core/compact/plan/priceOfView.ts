/** What prose costs in the language of a history. */

import type { Row } from '../../history/row.ts';
import { textOf } from '../../history/text.ts';
import { type Draft, type Effects, isOf, originalOf } from '../draft.ts';
import { kind } from '../rowColumns.ts';
import { priceOf } from '../thread/price.ts';

/** The newest messages, by which the language of a history is judged. */
const maxSampledMessages = 24;

/** As `priceOf` has it, by what users and the agent said last. */
export async function priceOfView(draft: Draft, { read, countText }: Effects): Promise<number> {
	const rows: Row[] = [];
	for (let item = draft.view.length - 1; item >= 0 && rows.length < maxSampledMessages; item--) {
		if (isOf(draft, item, kind.result | kind.made) || !isOf(draft, item, kind.inPlace)) continue;
		const row = originalOf(draft, item);
		if (!row.injected && row.role !== 'system') rows.unshift(row);
	}
	const messages = await read(rows);
	return priceOf(
		messages.map((message) => ({ text: textOf(message), calls: message.toolCalls?.length ?? 0 })),
		countText,
	);
}
