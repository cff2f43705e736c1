/** The numbers that compactions of sessions go by, beside those of the plan itself (`core/compact/tuning.ts`). */

/** Share of what is available that user messages are cut for: a count to the brim fails for a small error. */
export const belowBrim = 0.8;

/** A history of fewer messages than this has nothing between its ends. */
export const fewestMessages = 3;

/** Share of today's tokens that goes where the history is below its target already. */
export const defaultFraction = 0.5;

/** Share of the summary's room that the model's own words may take; the record has the rest. */
export const proseShare = 0.5;

/** The model may write no more than this, however much room there is. Tokens. */
export const mostProse = 6000;

/** Share of its window that a model may write: of a small one most is for the conversation. */
export const proseOfWindow = 0.25;

/** What the model is given to read at most at once. Tokens. */
export const mostInput = 120_000;

/** Tokens of what stands around the conversation in a prompt. */
export const framing = 800;

/** By so much more than they are counted here tokens may count at another model. */
export const countMargin = 1.25;

/** In less room than this nothing of a conversation can be read. Tokens. */
export const leastInput = 400;

/** Tokens that stand between the model's words and the record. */
export const recordHead = 40;

/** Share of its window that a model is given to compact at once: the rest is for what it makes of it. */
export const inputShare = 0.75;

/** A turn is told of only where it takes less than this share of the summary. */
export const mostOfTurn = 0.15;

/** A compaction that saves less than this share of the history has stalled; a smaller change leaves it the same. */
export const leastProgress = 0.05;

/** A compaction that saves fewer tokens than this, or a smaller share of the history, is left undone. */
export const leastSaving = { tokens: 32, share: 0.01 };

/** A limit below this is no window but some other figure of the error. Tokens. */
export const smallestWindow = 1000;

/** No provider counts more tokens than this for one of ours: where even that would fit, the cause is another. */
export const mostTokensEach = 2;

/** Share of what is available that a summary is requested before the threshold at the latest. */
export const minPrefetchMargin = 0.05;

/** Share of the way from a compaction's target to the threshold that a history grows by before a summary is requested. */
export const minGrowthShare = 0.25;

/** A rise between two requests counts this much less with each request after it. */
export const growthDecay = 0.5;

/** Share of a compaction's target that a prefetched summary and its tail are planned for at least. */
export const minPrefetchTargetShare = 0.5;

/** Nothing is read while the window is filled to less than this share of where compaction is due. */
export const nearEnough = 0.5;

/** What was read is begun anew at this share of what is kept, so that no compaction has to. */
export const readAnew = 0.9;

/** Messages that are read ahead at a time, or UTF-16 units of them: a few milliseconds, until the code is warm too. */
export const aheadPortion = { rows: 12, chars: 5000 } as const;
/** A session's tail, which a compaction leaves as it is, is read ahead too. UTF-16 units. */
export const aheadTail = 400_000;
/** A session is read when it has not changed, and nobody has waited for anything, for this long. Milliseconds. */
export const quiet = 150;

/** Rows of a compaction are read this many at a time, or this many UTF-16 units of text, with a pause between. */
export const readPortion = { rows: 256, chars: 200_000 } as const;
/** A message longer than this is read at its head and tail alone. UTF-16 units. */
export const longestMessage = 200_000;
/** UTF-16 units that a call takes beside its words, about. */
export const callUnits = 4;

/** How often a plan is made again when the history changed under it. */
export const planAttempts = 3;
/** How often room is made for one refused request: a third refusal has another cause. */
export const recoveryAttempts = 2;

/** What an answer stays above its target without a word, as a share of it. */
export const asGoodAsMet = 0.02;
/** UTF-16 units of a dropped line that a receipt shows. */
export const longestTold = 200;
