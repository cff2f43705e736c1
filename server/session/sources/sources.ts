/** `context/sources`: how many tokens the visible results of each file and command take. */

import { computeProtection, findRowsKeptByPins } from '../../core/history/protection.ts';
import type { Seq } from '../../core/history/record.ts';
import type { Meter } from '../../core/meter/meter.ts';
import { readMeter, weighRow } from '../../core/meter/reading.ts';
import { addVisibleRow, type Totals } from '../../core/meter/totals.ts';
import type { SourcedResult } from '../../core/sources/findResults.ts';
import { groupResults, type ResultGroup } from '../../core/sources/groups.ts';
import { findPluginAgent } from '../../core/transcript/index.ts';
import type { FileSource, SourcesResult } from '../../protocol/sources.ts';
import type { ClientContext } from '../clientContext.ts';
import { runInSlices } from '../services.ts';
import type { Session } from '../session.ts';
import { findSourcedResults } from './sourcedResults.ts';

/** Maximum number of files, and maximum number of commands, in an answer. */
const maxRows = 100;
/** Maximum number of message ids of one file or command. */
const maxMessageIds = 1000;

/** Returns the largest files and repeated commands of a session. Linear in the view, in slices. */
export async function listSources(session: Session, client: ClientContext): Promise<SourcesResult> {
	const { state, services } = session;
	const keepsRunningCalls = findPluginAgent(session.id) !== undefined;
	const counter = new ResultCounter(session);
	const results = await findSourcedResults(session, {
		view: [...state.view],
		protection: computeProtection(state, { keepsRunningCalls, cutUserMessages: 'never' }),
		protectedTools: client.getSettings().compaction.pruneProtectedTools,
	});
	const groups = await runInSlices(groupResults(results), services);
	const files = selectLargest(groups.files, counter).map(({ name, results: reads }) => ({
		uri: name,
		reads: reads.length,
		...counter.describe(reads),
	}));
	const commands = selectLargest(groups.commands, counter).map(({ name, results: runs }) => ({
		command: name,
		toolName: runs.at(-1)?.run?.toolName ?? '',
		runs: runs.length,
		...counter.describe(runs),
	}));
	return { files, commands };
}

/** Returns the largest groups, largest first; groups of equal size are sorted by name. */
function selectLargest(groups: ReadonlyMap<string, ResultGroup>, counter: ResultCounter): ResultGroup[] {
	const weighedGroups = [...groups.values()].map((group) => ({
		group,
		tokens: counter.countTokens(group.results),
	}));
	weighedGroups.sort((a, b) => b.tokens - a.tokens || (a.group.name < b.group.name ? -1 : 1));
	return weighedGroups.slice(0, maxRows).map(({ group }) => group);
}

/** Counts the tokens of groups of results, for the state that a session had when this object was created. */
class ResultCounter {
	readonly #meter: Meter;
	readonly #totals: Totals;
	readonly #session: Session;
	readonly #pinnedRows: ReadonlySet<Seq>;

	constructor(session: Session) {
		this.#session = session;
		this.#pinnedRows = findRowsKeptByPins(session.state);
		this.#meter = structuredClone(session.state.meter);
		this.#totals = structuredClone(session.state.totals);
	}

	/** Returns the tokens of results, on the meter's scale. */
	countTokens(results: readonly SourcedResult[]): number {
		let tokens = 0;
		for (const { unit } of results) tokens += weighRow(this.#meter, unit.row);
		return Math.round(tokens);
	}

	/** Returns the members that an answer has for files and commands alike. */
	describe(results: readonly SourcedResult[]): Omit<FileSource, 'uri' | 'reads'> {
		const newestSeq = results.at(-1)?.unit.from;
		const freeableTokens = this.#computeFreeableTokens(results);
		return {
			// Rounded on their own, a few tokens may be less than what clearing them saves of the rounded total.
			tokens: Math.max(freeableTokens, this.countTokens(results)),
			freeableTokens,
			messageIds: results.slice(-maxMessageIds).map(({ unit }) => unit.row.id),
			...(newestSeq !== undefined && this.#pinnedRows.has(newestSeq) && { isPinned: true as const }),
		};
	}

	/** Returns the tokens by which the history shrinks if the outdated results are cleared. */
	#computeFreeableTokens(results: readonly SourcedResult[]): number {
		const after = structuredClone(this.#totals);
		const anchor = this.#meter.anchor?.seq ?? -1;
		for (const { unit, clearing } of results) {
			if (clearing === undefined) continue;
			const { seq, role, exact, made, counts } = unit.row;
			const negated = { text: -counts.text, calls: -counts.calls, images: -counts.images };
			addVisibleRow(after, { seq, role, exact, made, counts: negated }, anchor);
			addVisibleRow(after, { seq, role, made: 'deduplicated', counts: clearing.counts }, anchor);
		}
		return this.#readHistoryTokens(this.#totals) - this.#readHistoryTokens(after);
	}

	#readHistoryTokens(totals: Totals): number {
		const { request } = this.#session.state;
		return readMeter(this.#meter, totals, request).breakdown.conversationHistory;
	}
}
