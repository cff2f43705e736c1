/** The numbers by which files are read, fitted and told in short. */

/** A file below this many bytes comes whole wherever it fits what remains of the window; NeuroLink's bound. */
export const fastPathBytes = 102_400;
/** Of a file above this many bytes only a preview comes, of so many characters; NeuroLink's bounds. */
export const previewFileBytes = 5_242_880;
export const previewCharacters = 2_000;
/** Share of what remains of the window that file reads may take. */
export const fileReadBudgetPercent = 0.6;
/** Tokens below which a part of a file is of no use. */
export const smallestPart = 50;
/** UTF-16 units of a token where a file is known by its size alone, as NeuroLink's `shouldTruncateFile` has it. */
export const unitsPerToken = 4;

/** Tokens of a file's summary: fewer say nothing, more are no summary. */
export const summaryTokens = { least: 500, most: 4000 } as const;
/** Tokens below which a file is never summarized. */
export const smallestSummarized = 1000;
/** Tokens of what stands around a file in the prompt for its summary. */
export const summaryFraming = 500;
/** Share of what remains of the window that files leave to all else. */
export const nonFileReserve = 0.15;

/** File systems may date a change this much earlier than it happened. Milliseconds. */
export const clockGrain = 20;
/**
 * A deletion has no date of its own: one that is noticed within this time after an edit counts as part of the edit. A busy
 * machine reports it late. Milliseconds.
 */
export const deletionDelay = 5000;
