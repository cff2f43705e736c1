/** The numbers that a compaction is planned by, with where they come from. Shares are of what their names say. */

/** Where protected messages take more than this share of the target, they are said to leave no room beside them. */
export const crowded = 0.5;

/**
 * Where protected messages leave no room, all the rest still gets this share of the history, in tokens at most
 * `most`; of a small history at least `least`, but no more than a quarter of what is not protected. A summary of
 * 1,150 tokens answered half of the questions asked of recorded sessions of 100,000; one of 400 next to none.
 * Beside huge protected messages it gets `ofProtected` of them, up to `mostBeside` tokens: at a tenth this answered
 * three questions of 212 more. Up to `mostAsked` tokens it gets at least the share of itself that was asked for of
 * the whole history: two more at a quarter.
 */
export const leastRoom = {
	share: 0.15,
	most: 1150,
	least: 400,
	ofRest: 0.25,
	ofProtected: 0.17,
	mostBeside: 1700,
	mostAsked: 1500,
} as const;

/** Tokens that a summary needs to say anything: with less room there is none, and the history stays larger. */
export const barest = 160;

/**
 * Of the newest message and its calls so many tokens at most count among what stays anyway, and so many for the note
 * that a result leaves: in a small history they would leave no room for a summary, and all that is old would go without
 * a word.
 */
export const mostNewest = 400;
export const noteTokens = 60;

/** A tail that takes more than this share of the room beside protected messages crowds the summary out. */
export const tightTail = 0.85;

/** A history of more notes than this, each where a result was, tells a model less than a summary. */
export const mostNotes = 2000;

/** Summaries of fewer raw tokens than this say nothing worth the loss. */
export const smallestSummary = 120;

/** Raw tokens of the longest summary: what room there is beyond goes to the tail. */
export const longestSummary = 64_000;

/**
 * The tail where nobody asked for another: so many of the newest messages, in at most this share of the room beside
 * protected messages even where the tail's own share of the target is less.
 */
export const defaultTail = { recentCount: 3, recentShare: 0.2, keepRecentRatio: 0.3 } as const;

/** Share of that room that newest messages may take whose number was asked for: the rest is for the summary. */
export const askedRecentShare = 0.9;

/**
 * Share of that room that is the summary's before the tail's own share is taken. On recorded sessions a longer tail
 * cost more answers than it kept: at a tenth, 0.33 answered two in a hundred fewer.
 */
export const summaryFirst = 0.7;

/** A summary larger than this share of what it replaces says little more: what room is left goes to the tail. */
export const mostUseful = 0.6;
