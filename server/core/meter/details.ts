/** What rows of the breakdown are made of. */

import type { Breakdown, DetailPart, StatsDetails } from '../../protocol/stats.ts';
import { roundTogether } from './reading.ts';

/** What of a row no part accounts for. */
const restName = 'Not told by the agent';

/**
 * The parts of the rows, by their raw counts, on the scale of the rows: each list sums to its row. Where the provider
 * counts more beyond what was handed in than its parts come to, the rest is a part of its own.
 */
export function detailsOf(breakdown: Breakdown, raw: StatsDetails): StatsDetails | undefined {
	const details: StatsDetails = {};
	const { systemPrompt = [], toolDefinitions = [], other = [] } = raw;
	if (systemPrompt.length > 0 && breakdown.systemPrompt > 0)
		details.systemPrompt = scaled(systemPrompt, breakdown.systemPrompt);
	if (toolDefinitions.length > 0 && breakdown.toolDefinitions > 0)
		details.toolDefinitions = scaled(toolDefinitions, breakdown.toolDefinitions);
	if (other.length > 0 && breakdown.other > 0) {
		const rest = breakdown.other - other.reduce((sum, { tokens }) => sum + tokens, 0);
		details.other = scaled(rest > 0 ? [...other, { name: restName, tokens: rest }] : other, breakdown.other);
	}
	return Object.keys(details).length > 0 ? details : undefined;
}

function scaled(parts: readonly DetailPart[], row: number): DetailPart[] {
	const sum = parts.reduce((total, { tokens }) => total + tokens, 0);
	const shares = parts.map(({ tokens }) => (sum > 0 ? (tokens * row) / sum : row / parts.length));
	const whole = roundTogether(shares);
	return parts
		.map(({ name }, index) => ({ name, tokens: whole[index] ?? 0 }))
		.sort((a, b) => b.tokens - a.tokens);
}
