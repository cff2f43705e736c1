import type { Audit, AuditSum } from '../../core/cost/audit/audit.ts';
import { convertToInputTokens, convertToUsd, type Money } from '../../core/cost/audit/money.ts';
import type { Alternatives } from '../../core/replay/alternatives.ts';
import { replayAssumptions } from './texts.ts';

/** Returns the cost in dollars; for models without a known price, as the number of input tokens that cost as much. */
function convertMoney(money: Money): { usd: number; unpricedInputTokens: number } {
	return { usd: convertToUsd(money), unpricedInputTokens: convertToInputTokens(money) };
}

function convertSums(sums: readonly AuditSum[]) {
	return sums.map(({ name, money, calls }) => ({ name, ...convertMoney(money), calls }));
}

/** Returns an audit as one JSON value. Times are in milliseconds since the epoch. */
export function convertAudit({
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
		...convertMoney(total),
		statedUsd: convertToUsd(statedCost),
		calls,
		sessions,
		byCause: audit.byCause.map(({ cause, money, tokens }) => ({ cause, ...convertMoney(money), tokens })),
		byAgent: convertSums(audit.byAgent),
		byModel: convertSums(audit.byModel),
		byProject: convertSums(audit.byProject),
		byDay: convertSums(audit.byDay),
		moments: audit.moments.map(({ money, ...moment }) => ({ ...moment, ...convertMoney(money) })),
		unpriced: convertSums(audit.unpriced),
		...(alternatives !== undefined && { alternatives: { ...alternatives, assumptions: replayAssumptions } }),
		unreadable,
	};
}
