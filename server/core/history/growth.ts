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
	current: Pick<UsagePoint, 'tokens' | 'source'>,
): ContextGrowth | undefined {
	if (current.source === 'estimated') return undefined;
	/** Tokens of the window before each user message, newest first. */
	const startTokens: number[] = [];
	let pointIndex = usagePoints.length - 1;
	const first = Math.max(0, rows.length - maxSearchedRows);
	for (let seq = rows.length - 1; seq >= first && startTokens.length <= maxTurns; seq--) {
		const row = rows[seq];
		if (row === undefined || !isTypedRow(row)) continue;
		while (pointIndex >= 0 && (index.get(usagePoints[pointIndex]?.messageId ?? '') ?? 0) > seq) pointIndex--;
		const before = usagePoints[pointIndex];
		if (before === undefined || before.source === 'estimated') break;
		startTokens.push(before.tokens);
	}
	const [newestTokens, ...olderTokens] = startTokens;
	if (newestTokens === undefined) return undefined;
	const growths = olderTokens
		.map((tokens, position) => (startTokens[position] ?? 0) - tokens)
		.filter((growth) => growth > 0)
		.sort((a, b) => a - b);
	const perTurn = growths[Math.floor(growths.length / 2)];
	return {
		sinceUserMessage: current.tokens - newestTokens,
		...(perTurn !== undefined && growths.length >= minTurns && { perTurn }),
	};
}
