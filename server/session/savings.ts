/** What the compactions of a session saved, at its prices. */

import { dollarsOf } from '../core/cost/cacheExpiry.ts';
import { lookupPrices } from '../core/cost/prices.ts';
import { savedTokens } from '../core/cost/saved.ts';
import { sessionPrices } from '../core/cost/sessionPrices.ts';
import type { State } from '../core/history/state.ts';
import { withoutUndefined } from '../core/shape.ts';
import type { Settings } from '../protocol/settings.ts';
import type { SessionCost } from '../protocol/stats.ts';

/**
 * Returns what the compactions of a session saved, compared with none; negative if they cost more. Undefined if no call
 * after a compaction was reported, or nothing is known of the provider's cache. O(1).
 */
export function savingsOf(
	{ info, rows, savings }: Pick<State, 'info' | 'rows' | 'savings'>,
	prices: Settings['prices'],
): SessionCost | undefined {
	const { unread, unwritten, rewritten } = savings;
	if (unread === 0 && unwritten === 0 && rewritten === 0) return undefined;
	const money = lookupPrices(info.provider, info.model, prices);
	const known = sessionPrices(rows, info.provider, info.model) ?? (money.isKnown ? money : undefined);
	if (known === undefined) return undefined;
	const tokens = savedTokens(savings, known);
	return { tokens, ...withoutUndefined({ usd: dollarsOf(tokens, money.usdPerMillion) }) };
}
