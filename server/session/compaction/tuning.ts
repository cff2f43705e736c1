/** Limits and shares for compactions of sessions, in addition to those of the plan (`core/compact/tuning.ts`). */

/** Minimum target of a compaction that may cut user messages, as a share of the available tokens. Allows for counting errors. */
export const minUserCutTargetShare = 0.8;

/** Minimum messages of a history to compact: a shorter one has no message between the first and the newest. */
export const minMessages = 3;

/** Share of the tokens to remove if the history is already below its target. */
export const defaultRemovalShare = 0.5;

/** Share of the summary's budget for the model's text; the extracted record gets the rest. */
export const modelTextShare = 0.5;

/** Maximum tokens of the model's text, even if the budget allows more. */
export const maxModelTextTokens = 6000;

/** Share of its window that a model may write; a small window is needed mostly for the conversation. */
export const maxModelTextWindowShare = 0.25;

/** Maximum tokens of the messages that a model reads at once. */
export const maxInputTokens = 120_000;

/** Tokens of a summary's prompt in addition to the conversation. */
export const promptFramingTokens = 800;

/** Factor by which another model may count more tokens than we do. */
export const tokenCountMargin = 1.25;

/** A model that can read fewer tokens at once than this is not asked. */
export const minInputTokens = 400;

/** Tokens of the heading between the model's text and the extracted record. */
export const extractHeadingTokens = 40;

/** Share of the window for the items that a provider compacts at once; the rest is for the result. */
export const compactInputShare = 0.75;

/** An unfinished turn is described only if the note takes at most this share of the summary. */
export const maxTurnShare = 0.15;

/** A compaction that saves a smaller share has stalled. Two sizes that differ by at most this share count as equal. */
export const minProgressShare = 0.05;

/** A compaction that saves fewer tokens than this, or a smaller share of the history, is not applied. */
export const minSaving = { tokens: 32, share: 0.01 };

/** Minimum tokens of a window that an error names; a smaller number in an error means something else. */
export const minWindowTokens = 1000;

/** Maximum ratio of any provider's token count to ours. A request that fits even if multiplied by it did not overflow. */
export const maxTokenRatio = 2;

/** A summary is requested at least this far below the threshold, as a share of the available tokens. */
export const minPrefetchMargin = 0.05;

/** Share of the way from target to threshold that the history must grow before a summary is requested. */
export const minGrowthShare = 0.25;

/** Factor by which the recorded growth of a request shrinks with each later request. */
export const growthDecay = 0.5;

/** Minimum target of a plan for a prefetched summary, as a share of the compaction's target. */
export const minPrefetchTargetShare = 0.5;

/** Reading in advance starts when the window is filled to this share of the compaction threshold. */
export const readAheadShare = 0.5;

/** The cache is emptied in advance at this share of its limit, so that no compaction has to empty it. */
export const restartShare = 0.9;

/** Maximum messages (`items`) and UTF-16 units (`units`) that are read in advance at a time: a few milliseconds of work. */
export const readAheadLimits = { items: 12, units: 5000 } as const;
/** UTF-16 units of the newest messages, which are read in advance although a compaction keeps them unchanged. */
export const readAheadTailUnits = 400_000;
/** Time without changes and waiting requests after which messages are read in advance. Milliseconds. */
export const idleDelayMs = 150;

/** Maximum rows (`items`) and UTF-16 units (`units`) that a compaction reads before other tasks get a turn. */
export const readLimits = { items: 256, units: 200_000 } as const;
/** Only the beginning and the end of longer messages are read. UTF-16 units. */
export const maxReadMessageUnits = 200_000;
/** Approximate length of a call in addition to its text. UTF-16 units. */
export const callOverheadUnits = 4;

/** Maximum number of plans that are made if the history changes during planning. */
export const maxPlanAttempts = 3;
/** Maximum compactions for one refused request. A further refusal must have another cause than the history's size. */
export const maxRecoveryAttempts = 2;

/** Excess over the target for which the result gives no reason, as a share of the target. */
export const targetTolerance = 0.02;
/** Maximum length of a dropped line that a warning quotes. UTF-16 units. */
export const maxWarningLineLength = 200;
