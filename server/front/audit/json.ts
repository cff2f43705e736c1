import type { Audit, AuditSum } from '../../core/cost/audit/audit.ts';
import { convertToInputTokens, convertToUsd, type Money } from '../../core/cost/audit/money.ts';
import type { Alternatives } from '../../core/replay/alternatives.ts';
import { replayAssumptions } from './words.ts';

/** Returns dollars, and the cost of models without a known price in tokens at the price of input. */
function moneyJson(money: Money): { usd: number; unpricedInputTokens: number } {
	return { usd: convertToUsd(money), unpricedInputTokens: convertToInputTokens(money) };
}

function sumsJson(sums: readonly AuditSum[]) {
	return sums.map(({ name, money, calls }) => ({ name, ...moneyJson(money), calls }));
}

/** Returns an audit as one JSON value. Times are in milliseconds since the epoch. */
export function auditJson({
	audit,
	alternatives,
	unreadable,
}: {
	audit: Audit;
	alternatives: Alternatives | undefined;
	unreadable: readonly string[];
}): object {
	const { from, to, total, calls, sessions, statedCost } = audit;
	return {
		from,
		to,
		...moneyJson(total),
		statedUsd: convertToUsd(statedCost),
		calls,
		sessions,
		byCause: audit.byCause.map(({ cause, money, tokens }) => ({ cause, ...moneyJson(money), tokens })),
		byAgent: sumsJson(audit.byAgent),
		byModel: sumsJson(audit.byModel),
		byProject: sumsJson(audit.byProject),
		byDay: sumsJson(audit.byDay),
		moments: audit.moments.map(({ money, ...moment }) => ({ ...moment, ...moneyJson(money) })),
		unpriced: sumsJson(audit.unpriced),
		...(alternatives !== undefined && { alternatives: { ...alternatives, assumptions: replayAssumptions } }),
		unreadable,
	};
}
