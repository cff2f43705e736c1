/** The stored state of a conversation, and its text on disk. */

import { isFields, isJson } from '../server/core/shape.ts';
import { nothingSynced, type SyncState } from './delta.ts';
import { emptyView, type HeldResult, type HeldView } from './heldView.ts';

/** A compaction after a refused request, until the full list is sent again. Plain data. */
export interface RecoveryTrial {
	compactionId: string;
	/** Warnings for the user if the full list is refused again. */
	warnings: readonly string[];
}

/** The state. Plain data, stored as JSON: members keep their names. */
export interface StoredConversation<HostMessage> {
	held: HeldView<HostMessage>;
	feed: SyncState;
	/** The daemon's newest step that the view includes, as `describeNewestStep` returns it. */
	step: string;
	/** The step for which one-time messages were already shown; absent if there is none. */
	saidAt?: string;
	/**
	 * The last request to the model: the chain id of the last message, the step that applied, and the revision of the daemon's
	 * history if it is known. Absent if nothing was sent.
	 */
	sent?: { after: string; step: string; revision?: number };
	/**
	 * Share of the limit in use: the daemon's last figure, plus an estimate for later messages; absent if it never
	 * answered.
	 */
	ratio?: number;
	/** Share of the limit at which a compaction is due, by the daemon's last answer; absent if it never answered. */
	due?: number;
	/** The compaction that is on trial; absent if none is. */
	trial?: RecoveryTrial;
	/** Whether the user turned contextd off for this session. */
	isOff?: true;
	/** The highest usage level that was announced to the model, in percent. */
	reached: number;
}

/** Returns the state of a conversation of which nothing is known. */
export function emptyConversation<HostMessage>(): StoredConversation<HostMessage> {
	return { held: emptyView(), feed: nothingSynced, step: '', reached: 0 };
}

/**
 * Returns the state as text. What seldom changes comes first, so that consecutive texts share a long beginning. Texts of
 * results that were sent unchanged are omitted: the host and the daemon's journal have them.
 */
export function serializeConversation<HostMessage>({
	held,
	...others
}: StoredConversation<HostMessage>): string {
	const { version, decisions, results, ...lists } = held;
	const cut = Object.entries(results).map(([callId, result]) => [
		callId,
		isWhole(result) ? { units: result.units } : result,
	]);
	return JSON.stringify({
		held: { version, decisions, results: Object.fromEntries(cut), ...lists },
		...others,
	});
}

/** The number of marks that `session/holdView` accepts. */
const maxMarks = 64;

/** Returns chain ids of messages on which the view depends: a conversation that has one of them may inherit it. */
export function viewDependenciesOf<HostMessage>({ held }: StoredConversation<HostMessage>): string[] {
	const { decisions, notes, known } = held;
	const marks = [...Object.keys(notes), ...decisions.map(({ upTo }) => upTo), ...known.slice(-1)];
	return [...new Set(marks)].slice(-maxMarks);
}

function isWhole({ text, units }: HeldResult): boolean {
	return text?.length === units;
}

/** Parses a stored state; returns an empty one if the text is missing, damaged or of another version. */
export function parseConversation<HostMessage>(text: string | undefined): StoredConversation<HostMessage> {
	if (text === undefined || !isJson(text)) return emptyConversation();
	const stored: unknown = JSON.parse(text);
	const isOurs =
		isFields(stored) && isFields(stored.held) && stored.held.version === 1 && isFields(stored.feed);
	return isOurs ? (stored as unknown as StoredConversation<HostMessage>) : emptyConversation();
}
