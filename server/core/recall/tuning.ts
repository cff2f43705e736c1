/** The numbers by which messages are found again. */

/** More words than this say no more of what is meant. */
export const mostWords = 32;
/** A word that comes more often counts no more. */
export const mostCounted = 20;
/** Okapi BM25 with its usual constants: how soon repetition stops to count, and how much long texts are held back. */
export const saturation = 1.2;
export const lengthWeight = 0.75;
/** A message that holds the whole query as it was asked is worth this many times as much. */
export const phraseWeight = 2;
/** UTF-16 units of an excerpt; of these, so many at most stand before what was found. */
export const excerpt = { longest: 300, before: 100 } as const;
