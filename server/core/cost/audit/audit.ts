/** Computes the cost of sessions by cause, from the calls of their transcripts. */

import { getOrInsert } from '../../getOrInsert.ts';
import { DistinctCalls, type ModelCall } from '../../transcript/index.ts';
import type { FoundPrices } from '../prices.ts';
import { ConversationCauses, type CostCause, costCauses } from './causes.ts';
import { type AuditedCall, type CostlyMoment, MomentCollector, type MomentSession } from './moments.ts';
import { compareMoney, computeCallCost, createZeroMoney, type Money, sumCallCost } from './money.ts';

/** The calls of one transcript. */
export interface SessionCalls {
	/** Name of the agent, as in `names.ts`. */
	agent: string;
	path: string;
	/** The project folder that the transcript's path reveals; used if no call states a folder. */
	folder?: string;
	calls: readonly ModelCall[];
}

/** The calls that an audit covers, and how it prices and dates them. */
export interface AuditScope {
	/** Start of the audited period, inclusive. Milliseconds since the epoch. */
	from: number;
	/** End of the audited period, inclusive. Milliseconds since the epoch. */
	to: number;
	/** Whether an audit covers the sessions of a folder; absent: all sessions. */
	includesFolder?(folder: string | undefined): boolean;
	findPrices(provider: string, model: string): FoundPrices;
	/** Returns the day of a time in the user's time zone, as `2026-11-26`. */
	formatDay(at: number): string;
}

/** Cost and number of calls of one agent, model, project or day. */
export interface AuditSum {
	name: string;
	money: Money;
	calls: number;
}

/** Total cost and tokens of one cause. */
export interface CauseSum {
	cause: CostCause;
	money: Money;
	tokens: number;
}

export interface Audit {
	from: number;
	to: number;
	total: Money;
	calls: number;
	/** Number of conversations with at least one call, without those of sub-agents. */
	sessions: number;
	/** All causes, in the order of `costCauses`. */
	byCause: CauseSum[];
	/** Sums by agent, most expensive first. */
	byAgent: AuditSum[];
	byModel: AuditSum[];
	/** Sums by the session's first folder; the name is empty if the folder is unknown. */
	byProject: AuditSum[];
	/** Sums by day, in order. Days without calls are omitted. */
	byDay: AuditSum[];
	moments: CostlyMoment[];
	/** Total cost of calls whose price the agent stated. */
	statedCost: Money;
	/** Models without a known price, most expensive first. */
	unpriced: AuditSum[];
}

/** Adds up costs by name. */
class NamedSums {
	readonly #sums = new Map<string, AuditSum>();

	add(name: string, unit: keyof Money, amount: number): void {
		const sum = getOrInsert(this.#sums, name, () => ({ name, money: createZeroMoney(), calls: 0 }));
		sum.money[unit] += amount;
		sum.calls++;
	}

	/** All sums, most expensive first. */
	get byCost(): AuditSum[] {
		return this.byName.sort((one, other) => compareMoney(one.money, other.money));
	}

	get byName(): AuditSum[] {
		return [...this.#sums.values()].sort(compareNames);
	}
}

function compareNames(one: AuditSum, other: AuditSum): number {
	return one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
}

/** Returns the conversations of a transcript: the main one, and one per sub-agent. */
function splitConversations(calls: readonly ModelCall[]): (readonly ModelCall[])[] {
	if (calls.every(({ subAgent }) => subAgent === undefined)) return [calls];
	const conversations = new Map<string | undefined, ModelCall[]>();
	for (const call of calls) getOrInsert(conversations, call.subAgent, () => []).push(call);
	return [...conversations.values()];
}

/** Adds up the calls of many transcripts. */
class AuditBuilder {
	readonly #scope: AuditScope;
	readonly #distinctCalls = new DistinctCalls();
	readonly #totalCost = createZeroMoney();
	readonly #statedCost = createZeroMoney();
	readonly #causeSums = new Map<CostCause, CauseSum>(
		costCauses.map((cause) => [cause, { cause, money: createZeroMoney(), tokens: 0 }]),
	);
	readonly #agentSums = new NamedSums();
	readonly #modelSums = new NamedSums();
	readonly #projectSums = new NamedSums();
	readonly #daySums = new NamedSums();
	readonly #unpricedModels = new NamedSums();
	readonly #moments = new MomentCollector();
	#callCount = 0;
	#sessionCount = 0;

	constructor(scope: AuditScope) {
		this.#scope = scope;
	}

	add(session: SessionCalls): void {
		const { agent, path, calls } = session;
		const project = calls[0]?.folder ?? session.folder;
		if (this.#scope.includesFolder?.(project) === false) return;
		const owner = { agent, path, project: project ?? '' };
		let hasMainCall = false;
		for (const conversation of splitConversations(calls)) {
			const costs = new ConversationCauses(conversation);
			let previous: ModelCall | undefined;
			for (const [index, call] of conversation.entries()) {
				const isNew = this.#distinctCalls.add(agent, call);
				if (isNew && call.at >= this.#scope.from && call.at <= this.#scope.to) {
					hasMainCall ||= call.subAgent === undefined;
					const cost = computeCallCost(call, this.#scope.findPrices(call.provider, call.model));
					const causes = costs.splitByCause(index, cost);
					const day = this.#scope.formatDay(call.at);
					this.#addCall({ call, previous, unit: cost.unit, causes, day }, sumCallCost(cost), owner);
				}
				if (!call.isSummary) previous = call;
			}
		}
		if (hasMainCall) this.#sessionCount++;
	}

	#addCall(audited: AuditedCall, amount: number, session: MomentSession): void {
		const { call, unit, causes, day } = audited;
		for (const causeCost of causes) {
			const sum = this.#causeSums.get(causeCost.cause);
			if (sum === undefined) continue;
			sum.money[unit] += causeCost.amount;
			sum.tokens += causeCost.tokens;
		}
		this.#callCount++;
		this.#totalCost[unit] += amount;
		if (call.usd !== undefined) this.#statedCost[unit] += amount;
		this.#agentSums.add(session.agent, unit, amount);
		this.#modelSums.add(call.model, unit, amount);
		this.#projectSums.add(session.project, unit, amount);
		this.#daySums.add(day, unit, amount);
		if (unit === 'milliInputs') this.#unpricedModels.add(call.model, unit, amount);
		this.#moments.add(audited, session);
	}

	get audit(): Audit {
		const { from, to } = this.#scope;
		return {
			from,
			to,
			total: this.#totalCost,
			calls: this.#callCount,
			sessions: this.#sessionCount,
			byCause: costCauses.flatMap((cause) => this.#causeSums.get(cause) ?? []),
			byAgent: this.#agentSums.byCost,
			byModel: this.#modelSums.byCost,
			byProject: this.#projectSums.byCost,
			byDay: this.#daySums.byName,
			moments: this.#moments.moments,
			statedCost: this.#statedCost,
			unpriced: this.#unpricedModels.byCost,
		};
	}
}

/**
 * Returns the cost of sessions by cause. A call that several transcripts contain counts only in the session that began
 * first. O(calls).
 */
export function auditSessions(sessions: readonly SessionCalls[], scope: AuditScope): Audit {
	const builder = new AuditBuilder(scope);
	const getStart = ({ calls }: SessionCalls): number => calls[0]?.at ?? 0;
	const sortedSessions = [...sessions].sort(
		(one, other) => getStart(one) - getStart(other) || (one.path < other.path ? -1 : 1),
	);
	for (const session of sortedSessions) builder.add(session);
	return builder.audit;
}

/** Selects the transcripts whose calls are collected. */
export interface CallQuery {
	/** Files that were last written before this time are skipped. Milliseconds since the epoch. */
	since: number;
	/** Names of agents, as in `names.ts`; absent: all. */
	agents?: readonly string[];
	/** Full path of a project. Skips files whose path reveals another project. Other files may belong to any project. */
	folder?: string;
	/** Called with the bytes read so far and the bytes of all files. */
	onProgress?(readBytes: number, totalBytes: number): void;
	signal?: AbortSignal;
}

/** The calls of all transcripts, and the files that could not be read. */
export interface CollectedCalls {
	sessions: SessionCalls[];
	/** Error messages, each with the path of the file. */
	unreadable: string[];
	/** Why the calls could not be cached; set if the next audit must read everything again. */
	cacheProblem?: string;
}
