/** The numbers that a compaction is planned by, with where they come from. Shares are of what their names say. */

/** Where protected messages take more than this share of the target, they are said to leave no room beside them. */
export const crowded = 0.5;

/**
 * Where protected messages leave no room, all the rest still gets this share of the history, in tokens at most
 * `most`; of a small history at least `least`, but no more than a quarter of what is not protected. A summary of
 * 1,150 tokens answered half of the questions asked of recorded sessions of 100,000; one of 400 next to none.
 * Beside huge protected messages it gets `ofProtected` of them, up to `mostBeside` tokens: at a tenth this answered
 * three questions of 212 more. It gets at least `ofTarget` of the target. All these tokens are those of English prose.
 */
export const leastRoom = {
	share: 0.15,
	most: 1150,
	least: 400,
	ofRest: 0.25,
	ofProtected: 0.17,
	mostBeside: 1700,
	ofTarget: 0.25,
} as const;

/** Messages, the newest, by which the language of a history is judged. */
export const mostPriced = 24;

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

/** A saving below this share of what it touches is not worth a change of the history. */
export const worthwhileShare = 0.3;

/** Shorter attachments are not worth the words that would replace them. UTF-16 units. */
export const shortestAttachment = 200;

/** Nor are messages with fewer raw tokens read at all. */
export const fewestAttachedTokens = 50;

/** Cuts are planned from averages: this often they are planned again, deeper, where they fell short. */
export const cutAttempts = 3;

/** Each aims a little lower than it has to, by this share. */
export const cutAim = 0.95;

/** A cut leaves at least this share of a message. */
export const leastCutShare = 0.01;

/** Shares of a result's text that the rounds leave of it: first images go, after the last one the note stands alone. */
export const pruneRounds = [1, 0.4, 0.15, 0] as const;

/** Share of what is available that a recovery comes down to. */
export const recoveryShare = 0.7;

/** It stays this share of what is available below the level at which anything would be due again. */
export const belowLevel = 0.05;

/** Where what surrounds the history nearly fills that level, the history keeps this share of what is left beneath it. */
export const shareOfRest = 0.75;

/** Where nothing is left beneath it, the history keeps these tokens, or this share of the limit, if the limit has room. */
export const leastLeft = { tokens: 1000, share: 0.02 };

/** Share of what the history may use that a compaction leaves if neither a setting nor the cost decides. */
export const defaultTargetRatio = 0.6;

/**
 * A compaction by a model, in tokens on windows of at least `fullWindow`: what it leaves of the history, with the files
 * that agents attach again, and what it writes. Measured on Claude Code's own: 3,000 to 5,000 of summary.
 */
export const modelSummary = { leaves: 6000, writes: 3000 } as const;

/**
 * The smallest target that the cost may lead to, in tokens on the same windows: twice what a model's summary leaves,
 * 12,000, and a margin, since compactions end up to a tenth below their target by the provider's count.
 */
export const minView = 13_500;

/** Share of what is available up to which a compaction that would not pay back is held back; the rest covers estimates. */
export const maxTriggerShare = 0.95;

/** Tokens by which a request is larger than the one before it, while a session shows nothing else: a call and its result. */
export const usualGrowth = 1500;

/** A mark above this share of what the history may have before compaction is due is reached again at once. */
export const nearTrigger = 0.9;

/** Where the mark lies too near, the history comes down to this share instead. */
export const belowTrigger = 0.75;

/** Shorter texts are not worth a cut. UTF-16 units. */
export const shortestCut = 400;

/** Share of what is kept that comes from the head; the end of an output tells more than its middle. */
export const headShare = 0.5;

/** Shorter results are not told apart: none is worth the words that would replace it. UTF-16 units. */
export const shortestRepeat = 200;

/** One message takes at most this share of the room: a giant one is quoted by its two ends. */
export const largestShare = 0.25;

/** Windows from this size on take the figures of pruning as they are. Tokens. */
export const fullWindow = 128_000;

/** A quotation of fewer words is a name rather than something that was said; of scripts without spaces, of fewer signs. */
export const fewestQuoted = { words: 3, signs: 6 } as const;
/** A message that is cut for a model keeps at least so much of each end. UTF-16 units. */
export const leastEnd = 40;

/** Raw tokens that the words of a note take, generously; an id takes no more than one a character. */
export const noteWords = 30;
/** A note says in at most so many UTF-16 units how the call of its result ended. */
export const longestNoteOutcome = 100;
/** Names of tools that a sentence holds. */
export const mostNamed = 5;
/** A factor below this weighs a token at next to nothing; what is told of it is reckoned with this one. */
export const leastWeight = 0.01;
/** So many reads and edits of one file are compared with an earlier one: the newest. */
export const mostPlaces = 256;
/** What is nested deeper in the arguments of a call stays as it is when a middle is cut. */
export const deepestCut = 64;

/** How many units are walked over before others may work: a few milliseconds. */
export const walk = 50_000;
/** And how many of what is read, counted or rendered. */
export const inOneSlice = {
	attached: 32,
	reasoning: 64,
	notes: 5000,
	originals: 64,
	results: 16,
} as const;
