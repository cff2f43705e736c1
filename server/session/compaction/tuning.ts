/** Limits and shares for compactions of sessions, in addition to those of the plan (`core/compact/tuning.ts`). */

/** Share of the available tokens to which user messages are cut; a full window would overflow on a small error. */
export const maxUserMessageShare = 0.8;

/** A shorter history has no messages between its ends. */
export const minMessages = 3;

/** Share of the tokens to remove if the history is already below its target. */
export const defaultRemovalShare = 0.5;

/** Share of the summary's budget for the model's text; the record gets the rest. */
export const modelTextShare = 0.5;

/** Maximum of the model's text, whatever the budget is. Tokens. */
export const maxModelTextTokens = 6000;

/** Share of its window that a model may write; in a small window the conversation needs most of it. */
export const maxModelTextWindowShare = 0.25;

/** Maximum that a model reads at once. Tokens. */
export const maxInputTokens = 120_000;

/** Tokens of a prompt besides the conversation. */
export const promptFramingTokens = 800;

/** Another model may count this many times our tokens. */
export const tokenCountMargin = 1.25;

/** With less than this, no part of a conversation can be read. Tokens. */
export const minInputTokens = 400;

/** Tokens between the model's text and the record. */
export const recordHeadTokens = 40;

/** Share of its window that a provider gets to compact at once; the rest is for the result. */
export const compactInputShare = 0.75;

/** A turn is described only if it takes less than this share of the summary. */
export const maxTurnShare = 0.15;

/** A compaction saving less than this share has stalled; sizes within this share are about equal. */
export const minProgressShare = 0.05;

/** A compaction that saves fewer tokens than this, or a smaller share of the history, is not applied. */
export const minSaving = { tokens: 32, share: 0.01 };

/** A smaller limit in an error is not a window but some other figure. Tokens. */
export const minWindowTokens = 1000;

/** No provider counts more than this many tokens for one of ours; if even that fits, the cause is another. */
export const maxTokenRatio = 2;

/** Minimum distance to the threshold at which a summary is requested, as a share of the available tokens. */
export const minPrefetchMargin = 0.05;

/** Share of the way from target to threshold that the history must grow before a summary is requested. */
export const minGrowthShare = 0.25;

/** Factor by which a past growth counts less with each later request. */
export const growthDecay = 0.5;

/** Minimum share of a compaction's target that a prefetched summary and its tail are planned for. */
export const minPrefetchTargetShare = 0.5;

/** Reading in advance starts when the window is filled to this share of the compaction threshold. */
export const readAheadShare = 0.5;

/** The cache is restarted at this share of its limit, so that no compaction has to do it. */
export const cacheRestartShare = 0.9;

/** Messages read in advance at a time, or UTF-16 units of them: a few milliseconds, even with cold code. */
export const readAheadPortion = { rows: 12, chars: 5000 } as const;
/** The tail, which a compaction leaves unchanged, is read in advance too. UTF-16 units. */
export const readAheadTailLength = 400_000;
/** Time without changes or waiting requests before reading in advance. Milliseconds. */
export const idleDelayMs = 150;

/** Rows, or UTF-16 units of text, that a compaction reads before it pauses. */
export const readPortionLength = { rows: 256, chars: 200_000 } as const;
/** Only head and tail of longer messages are read. UTF-16 units. */
export const maxMessageLength = 200_000;
/** Approximate length of a call besides its text. UTF-16 units. */
export const callOverheadLength = 4;

/** Maximum number of plans if the history changes during planning. */
export const maxPlanAttempts = 3;
/** Maximum compactions for one refused request; a third refusal has another cause. */
export const maxRecoveryAttempts = 2;

/** Excess over the target that needs no explanation, as a share of the target. */
export const targetTolerance = 0.02;
/** Length of a dropped line in a receipt. UTF-16 units. */
export const maxWarningLineLength = 200;
