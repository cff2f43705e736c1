/** Collects the calls of models that transcripts report, without the messages. */

import type { Usage } from '../../../protocol/conversation.ts';
import { sumPromptTokens } from '../../meter/meter.ts';
import type { RecordQuery } from './locations.ts';

export interface ModelCall {
	/** Id of the call, equal in every copy of the transcript. */
	id: string;
	/** When the answer was recorded. Milliseconds since the epoch. */
	at: number;
	/** Empty if unknown. */
	provider: string;
	/** Empty if unknown. */
	model: string;
	/** The working folder. */
	folder?: string;
	usage: Usage;
	/** US dollars that the agent states for the call. */
	usd?: number;
	/** Id of the sub-agent that made the call. */
	subAgent?: string;
	/** Whether the call wrote the summary of a compaction. */
	isSummary?: true;
	/** Whether the agent compacted after the previous call. */
	isCompacted?: true;
	/** Whether the usage is the sum of several calls. */
	isSum?: true;
}

/** A call as a record states it. Facts that apply to the whole transcript may be absent. */
export type ReportedCall = Omit<ModelCall, 'at' | 'provider' | 'model'> &
	Partial<Pick<ModelCall, 'at' | 'provider' | 'model'>>;

/** Facts of a transcript that apply to the calls after them. */
export interface SharedCallFacts {
	folder?: string;
	provider?: string;
	model?: string;
	/** Id of the sub-agent that the whole transcript belongs to. */
	subAgent?: string;
}

/** Collects the calls of one transcript, in order. */
export class CallLog {
	readonly #callsById = new Map<string, ModelCall>();
	readonly #facts: SharedCallFacts = {};
	#isCompacted = false;
	#newestTime: number;

	/** @param writtenAt when the transcript was last written, for calls before the first one with a time */
	constructor(writtenAt: number) {
		this.#newestTime = writtenAt;
	}

	get calls(): ModelCall[] {
		return [...this.#callsById.values()];
	}

	/** Sets facts about the following calls; undefined members keep their value. */
	setFacts(facts: SharedCallFacts): void {
		for (const key of Object.keys(facts) as (keyof SharedCallFacts)[]) {
			if (facts[key] !== undefined) this.#facts[key] = facts[key];
		}
	}

	/** Records that the agent compacted the main conversation. */
	recordCompaction(): void {
		this.#isCompacted = true;
	}

	/** Adds a call. Agents write a call several times; the report with the longer answer is kept. */
	add(call: ReportedCall): void {
		if (sumPromptTokens(call.usage) + call.usage.output === 0 && !call.usd) return;
		const { provider, model, folder, subAgent } = this.#facts;
		this.#newestTime = call.at ?? this.#newestTime;
		const knownCall = this.#callsById.get(call.id);
		if (knownCall !== undefined) {
			if (call.usage.output >= knownCall.usage.output) {
				knownCall.usage = call.usage;
				if (call.usd !== undefined) knownCall.usd = call.usd;
			}
			return;
		}
		const full: ModelCall = {
			...call,
			at: this.#newestTime,
			provider: call.provider ?? provider ?? '',
			model: call.model ?? model ?? '',
			folder: call.folder ?? folder,
			subAgent: call.subAgent ?? subAgent,
		};
		if (this.#isCompacted && full.subAgent === undefined && !full.isSummary) {
			full.isCompacted = true;
			this.#isCompacted = false;
		}
		this.#callsById.set(call.id, full);
	}
}

/** How to read an agent's calls of models, with their usage, from transcripts or databases. */
export interface CallRule {
	/**
	 * Each relevant line of a transcript contains one of these texts; other lines are not parsed. If absent, all
	 * records are read.
	 */
	marks?: readonly string[];
	/** Query for the calls in the agent's databases, grouped by the column `session_id` with the session's id. */
	query?: RecordQuery;
	/** Creates a function that reads the records of a transcript one by one into a log. Never throws. */
	createReader(log: CallLog): (record: unknown) => void;
}

/** Recognizes calls that several transcripts contain: a resumed or copied session repeats its original's calls. */
export class DistinctCalls {
	/** Calls by agent, id and time, because some agents number the calls of each session. */
	readonly #keys = new Set<string>();

	/** Adds a call of an agent. Returns whether it is new. */
	add(agent: string, { id, at }: ModelCall): boolean {
		const sizeBefore = this.#keys.size;
		return this.#keys.add(`${agent}\0${id}\0${at}`).size > sizeBefore;
	}
}
