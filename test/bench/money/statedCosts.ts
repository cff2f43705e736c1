/** Costs that agents stated, next to the cost of the same session by contextd's price table and model of the cache. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lookupPrices } from '../../../server/core/cost/prices.ts';
import { sumPromptTokens } from '../../../server/core/meter/meter.ts';
import type { Usage } from '../../../server/protocol/conversation.ts';
import { predictCacheUse } from '../../support/predictCacheUse.ts';
import type { RecordedSession } from './corpusSessions.ts';
import { isReplaced, promptRequests, rulesOf } from './prediction.ts';

/** Dollars of one session. */
export interface StatedCost {
	session: RecordedSession;
	/** Dollars that the agent stated. */
	stated: number;
	/** Dollars of the usage that the agent stated, by contextd's price table. */
	byPrices: number;
	/** Dollars of the predicted reads and writes, with the stated answers. */
	predicted: number;
}

/** The members of a transcript's record that state costs. */
interface CostRecord {
	total_cost_usd?: number;
	modelUsage?: Record<string, Record<string, number>>;
	message?: { usage?: Required<Usage> & { cost?: { total: number } } };
}

/** The cost and the usage that an agent stated for a whole session. */
interface Statement {
	cost: number;
	usage: Usage;
}

function dollars(usage: Usage, provider: string, model: string): number {
	const { usdPerMillion = 0, read, write, output } = lookupPrices(provider, model);
	const { input, cacheRead = 0, cacheWrite = 0 } = usage;
	return ((input + read * cacheRead + write * cacheWrite + output * usage.output) * usdPerMillion) / 1e6;
}

/** Reads the final record of a Claude Agent SDK stream, for the session's own model. */
function statementOfSdk(records: readonly CostRecord[], model: string): Statement | undefined {
	const result = records.findLast((record) => record.total_cost_usd !== undefined);
	const own = result?.modelUsage?.[model];
	if (own === undefined) return undefined;
	return {
		cost: own.costUSD ?? 0,
		usage: {
			input: own.inputTokens ?? 0,
			output: own.outputTokens ?? 0,
			cacheRead: own.cacheReadInputTokens ?? 0,
			cacheWrite: own.cacheCreationInputTokens ?? 0,
		},
	};
}

/** Adds up the costs of pi's answers, each of which states its cost. */
function statementOfPi(records: readonly CostRecord[]): Statement | undefined {
	const sum: Statement = { cost: 0, usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
	for (const record of records) {
		const usage = record.message?.usage;
		if (usage?.cost === undefined) continue;
		sum.cost += usage.cost.total;
		sum.usage.input += usage.input;
		sum.usage.output += usage.output;
		sum.usage.cacheRead = (sum.usage.cacheRead ?? 0) + usage.cacheRead;
		sum.usage.cacheWrite = (sum.usage.cacheWrite ?? 0) + usage.cacheWrite;
	}
	return sum.cost > 0 ? sum : undefined;
}

/**
 * Returns the dollars of the predicted reads and writes. This includes the calls for the agent's summaries, which the
 * transcript does not list. They have another system prompt and therefore read nothing from the cache.
 */
function predictedDollars(session: RecordedSession, { usage }: Statement): number {
	const { provider, model, requests } = session;
	const rules = rulesOf(session);
	const uses = predictCacheUse(promptRequests(session, rules), rules);
	const sum: Usage = { input: 0, output: usage.output, cacheRead: 0, cacheWrite: 0 };
	for (const [index, { read, write, input }] of uses.entries()) {
		const before = requests[index - 1];
		const request = requests[index];
		const isCompacted = before !== undefined && request !== undefined && isReplaced(request, before);
		const summarized = isCompacted ? sumPromptTokens(before.usage) : 0;
		sum.input += input;
		sum.cacheRead = (sum.cacheRead ?? 0) + read;
		sum.cacheWrite = (sum.cacheWrite ?? 0) + write + summarized;
	}
	return dollars(sum, provider, model);
}

/** Returns the sessions whose original transcript states a cost. */
export function statedCosts(corpus: string, sessions: readonly RecordedSession[]): StatedCost[] {
	const folder = join(corpus, 'originals');
	const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
	return sessions.flatMap((session) => {
		const file = files.find((name) => name.startsWith(`${session.name}.`));
		if (file === undefined) return [];
		const lines = readFileSync(join(folder, file), 'utf8')
			.split('\n')
			.filter((line) => line.startsWith('{'));
		const records = lines.flatMap((line) => (/"total_cost_usd"|"cost"/.test(line) ? [JSON.parse(line)] : []));
		const statement =
			session.agent === 'pi' ? statementOfPi(records) : statementOfSdk(records, session.model);
		if (statement === undefined) return [];
		return {
			session,
			stated: statement.cost,
			byPrices: dollars(statement.usage, session.provider, session.model),
			predicted: predictedDollars(session, statement),
		};
	});
}
