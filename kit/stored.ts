/** What is kept of a conversation from process to process. */

import { isFields, isJson } from '../server/core/shape.ts';
import { type FeedState, untold } from './feed.ts';
import { emptyView, type HeldResult, type HeldView } from './heldView.ts';

/** A compaction after a refusal, until the full list is sent again. Plain data. */
export interface Trial {
	compactionId: string;
	/** What the user reads if the full list is refused again. */
	warnings: readonly string[];
}

/** Plain data. */
export interface Stored<Native> {
	held: HeldView<Native>;
	feed: FeedState;
	/** The daemon's newest step that the view knows of, with a mark where it is undone. */
	step: string;
	/** The step after which all was said of it that is to be said once; absent where nothing was. */
	saidAt?: string;
	/**
	 * What the model was sent last: the chain id of the last message, the step that was shown, and the revision of the
	 * daemon's history then, if it is known; absent if nothing was sent.
	 */
	sent?: { after: string; step: string; revision?: number };
	/** Share of the limit that was in use when the daemon was asked last, with an estimate of what came since; absent where it never was. */
	ratio?: number;
	/** The compaction that is on trial; absent if none is. */
	trial?: Trial;
	/** Whether the user turned contextd off for this session. */
	isOff?: true;
	/** Percent: the highest level that the model was told of. */
	reached: number;
}

/** What is kept of a conversation of which nothing is known. */
export function nothingStored<Native>(): Stored<Native> {
	return { held: emptyView(), feed: untold, step: '', reached: 0 };
}

/**
 * What is kept, as text: what seldom changes stands first, so that most of one text is the beginning of the next. Of
 * results that were sent whole the text is left out; the host has it, and the daemon's journal.
 */
export function storedText<Native>({ held, ...others }: Stored<Native>): string {
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

/** Marks that a view is found by at most, as `session/holdView` takes them. */
const maxMarks = 64;

/** Chain ids of the messages on which a view depends: a conversation that has one of them may inherit it. */
export function marksOf<Native>({ held }: Stored<Native>): string[] {
	const { decisions, notes, known } = held;
	const marks = [...Object.keys(notes), ...decisions.map(({ upTo }) => upTo), ...known.slice(-1)];
	return [...new Set(marks)].slice(-maxMarks);
}

function isWhole({ text, units }: HeldResult): boolean {
	return text?.length === units;
}

/** Reads what was stored; nothing where it is of another version, or none. */
export function readStored<Native>(text: string | undefined): Stored<Native> {
	if (text === undefined || !isJson(text)) return nothingStored();
	const stored: unknown = JSON.parse(text);
	const isOurs =
		isFields(stored) && isFields(stored.held) && stored.held.version === 1 && isFields(stored.feed);
	return isOurs ? (stored as unknown as Stored<Native>) : nothingStored();
}
