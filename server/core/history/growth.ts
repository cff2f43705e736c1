/** Measures how fast a window fills: since the user's newest message, and in a typical turn. */

import type { ContextGrowth } from '../../protocol/stats.ts';
import { isTypedRow } from './protection.ts';
import type { State, UsagePoint } from './state.ts';

/** Maximum rows searched backwards from the newest message, which bounds the cost in long sessions. */
const maxSearchedRows = 4096;
/** Maximum turns that are searched. */
const maxTurns = 10;
/** Minimum number of complete turns for a typical growth, which is the median over these turns. */
const minTurns = 3;

type GrowthState = Pick<State, 'rows' | 'usagePoints' | 'index'>;

/**
 * Returns by how many tokens the window grew; undefined if the provider reported no usage before the newest user
 * message. Ignores estimates, because they lack the system prompt and change with the model.
 */
export function measureGrowth(
	{ rows, usagePoints, index }: GrowthState,
	now: Pick<UsagePoint, 'tokens' | 'source'>,
): ContextGrowth | undefined {
	if (now.source === 'estimated') return undefined;
	/** Tokens of the window before each user message, newest first. */
	const startTokens: number[] = [];
	let point = usagePoints.length - 1;
	const first = Math.max(0, rows.length - maxSearchedRows);
	for (let seq = rows.length - 1; seq >= first && startTokens.length <= maxTurns; seq--) {
		const row = rows[seq];
		if (row === undefined || !isTypedRow(row)) continue;
		while (point >= 0 && (index.get(usagePoints[point]?.messageId ?? '') ?? 0) > seq) point--;
		const before = usagePoints[point];
		if (before === undefined || before.source === 'estimated') break;
		startTokens.push(before.tokens);
	}
	const [newest, ...olderTokens] = startTokens;
	if (newest === undefined) return undefined;
	const growths = olderTokens
		.map((tokens, position) => (startTokens[position] ?? 0) - tokens)
		.filter((growth) => growth > 0)
		.sort((a, b) => a - b);
	const perTurn = growths[Math.floor(growths.length / 2)];
	return {
		sinceUserMessage: now.tokens - newest,
		...(perTurn !== undefined && growths.length >= minTurns && { perTurn }),
	};
}
