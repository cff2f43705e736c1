/** Collects the most expensive moments of an audit. */

import { sumPromptTokens } from '../../meter/meter.ts';
import type { ModelCall } from '../../transcript/index.ts';
import type { CauseCost, CostCause } from './causes.ts';
import { compareMoney, createZeroMoney, type Money } from './money.ts';

/** An expensive call, or all calls of one session and day whose cost has the same cause. */
export interface CostlyMoment {
	cause: CostCause;
	/** Time of the call, or of the first of several calls. Milliseconds since the epoch. */
	at: number;
	/** Name of the agent, as in `names.ts`. */
	agent: string;
	project: string;
	/** Path of the transcript. */
	path: string;
	model: string;
	money: Money;
	/** Tokens that the cost was paid for. */
	tokens: number;
	calls: number;
	/** The longest pause before a call of the moment, in milliseconds. */
	pauseMs?: number;
	/** The model of the previous call, if the model changed. */
	modelBefore?: string;
}

export type MomentSession = Pick<CostlyMoment, 'agent' | 'project' | 'path'>;

/** A call with its cost by cause, and the previous call. */
export interface AuditedCall {
	call: ModelCall;
	previous?: ModelCall;
	unit: keyof Money;
	causes: readonly CauseCost[];
	/** Day of the call, as `2026-11-26`. */
	day: string;
}

/** Minimum cost of a reported moment, in billionths of a US dollar. */
const minMomentNanoUsd = 10_000_000;
/** Number of moments that an audit reports. */
export const maxMoments = 10;
/** Minimum tokens of a prompt whose cache reads count as a moment. */
const minLongPromptTokens = 150_000;

/** For these causes, all calls of a session on one day form one moment. */
const dailyCauses: ReadonlySet<CostCause> = new Set<CostCause>([
	'cacheReads',
	'expiry',
	'changedPrefix',
	'compaction',
	'coldStart',
	'subAgents',
]);

/** Collects the most expensive moments: long answers and additions one by one, other costs by session, cause and day. */
export class MomentCollector {
	#topMoments: CostlyMoment[] = [];
	readonly #dailyMoments = new Map<string, CostlyMoment>();

	/** The most expensive moments, most expensive first. */
	get moments(): CostlyMoment[] {
		return [...this.#topMoments, ...this.#dailyMoments.values()]
			.filter(({ money }) => money.milliInputs > 0 || money.nanoUsd >= minMomentNanoUsd)
			.sort(compareMoments)
			.slice(0, maxMoments);
	}

	add(audited: AuditedCall, session: MomentSession): void {
		const addedCost = { tokens: 0, amount: 0 };
		for (const { cause, tokens, amount } of audited.causes) {
			if (cause === 'growth' || cause === 'newInput') {
				addedCost.tokens += tokens;
				addedCost.amount += amount;
			} else if (dailyCauses.has(cause)) {
				const isLong = sumPromptTokens(audited.call.usage) >= minLongPromptTokens;
				if (cause !== 'cacheReads' || isLong)
					this.#extendDailyMoment({ audited, cause, tokens, amount }, session);
			} else this.#addSingleMoment({ audited, cause, tokens, amount }, session);
		}
		if (audited.previous !== undefined)
			this.#addSingleMoment({ audited, cause: 'growth', ...addedCost }, session);
	}

	#addSingleMoment(candidate: Candidate, session: MomentSession): void {
		const last = this.#topMoments.at(-1);
		const isFull = this.#topMoments.length >= maxMoments && last !== undefined;
		if (isFull && candidate.amount < last.money[candidate.audited.unit]) return;
		const moment = createMoment(candidate, session);
		if (isFull && compareMoments(moment, last) >= 0) return;
		this.#topMoments = [...this.#topMoments, moment].sort(compareMoments).slice(0, maxMoments);
	}

	#extendDailyMoment(candidate: Candidate, session: MomentSession): void {
		const { audited, cause, amount, tokens } = candidate;
		const { call, previous, unit, day } = audited;
		const key = `${cause}\0${day}\0${call.subAgent ?? ''}\0${session.path}`;
		const moment = this.#dailyMoments.get(key);
		if (moment === undefined) {
			this.#dailyMoments.set(key, createMoment(candidate, session));
			return;
		}
		moment.money[unit] += amount;
		moment.tokens += tokens;
		moment.calls++;
		if (previous === undefined) return;
		moment.pauseMs = Math.max(moment.pauseMs ?? 0, call.at - previous.at);
		if (previous.model === call.model) delete moment.modelBefore;
	}
}

/** A call's cost of one cause, which may become a moment. */
interface Candidate extends CauseCost {
	audited: AuditedCall;
}

function createMoment({ audited, cause, tokens, amount }: Candidate, session: MomentSession): CostlyMoment {
	const { call, previous, unit } = audited;
	return {
		cause,
		at: call.at,
		...session,
		model: call.model,
		money: { ...createZeroMoney(), [unit]: amount },
		tokens,
		calls: 1,
		...(previous !== undefined && { pauseMs: Math.max(0, call.at - previous.at) }),
		...(previous !== undefined && previous.model !== call.model && { modelBefore: previous.model }),
	};
}

/** Orders moments by cost, most expensive first; ties by time and path, whatever the order of the files. */
function compareMoments(one: CostlyMoment, other: CostlyMoment): number {
	return (
		compareMoney(one.money, other.money) ||
		one.at - other.at ||
		(one.path < other.path ? -1 : one.path > other.path ? 1 : 0)
	);
}
