/** Numbers for reading, fitting and summarizing files. */

/** Files below this many bytes are read whole if they fit the rest of the window. Same bound as in NeuroLink. */
export const fastPathBytes = 102_400;
/** Files above this many bytes are read only as a preview of `maxPreviewCharacters`. Same bounds as in NeuroLink. */
export const previewFileBytes = 5_242_880;
export const maxPreviewCharacters = 2_000;
/** Minimum tokens for a useful part of a file. */
export const minPartTokens = 50;
/** UTF-16 units per token if only a file's size is known. Same number as in NeuroLink's `shouldTruncateFile`. */
export const unitsPerToken = 4;

/** Minimum and maximum tokens of a file's summary. Shorter summaries are useless. */
export const fileSummaryTokenBounds = { min: 500, max: 4000 } as const;
/** Minimum tokens of a file that is summarized. */
export const minSummarizedTokens = 1000;
/** Tokens of the prompt around a file in a request for its summary. */
export const summaryFramingTokens = 500;
/** Share of the rest of the window that files leave free. */
export const nonFileReserveShare = 0.15;

/** Milliseconds by which file systems may date a change too early. */
export const fileTimeToleranceMs = 20;
/**
 * Milliseconds after an edit within which a reported deletion counts as part of the edit: a deletion has no date of its
 * own, and a busy machine reports it late.
 */
export const maxDeletionDelayMs = 5000;
