/** The numbers that the ledger goes by. Chosen on recorded sessions: those of `summary/tuning.ts` are measured with them. */

import { errorLine, hash, number, path, urlFact } from './facts.ts';

/** In this many messages a mention loses half of its weight. */
export const mentionHalfLife = 150;

/** What is left of a fact's worth when it stands well already: enough to fill a room that nothing else fills. */
export const repeat = 0.001;

/** Segments that did not fit, in a row, after which nothing else is tried. */
export const mostSegmentMisses = 40;

/** Share of the room that first and last lines may take before the best ones. */
export const endsShare = 0.25;

/** Lines are not joined beyond this; a longer line is cut at the next space. */
export const longestJoined = 220;

/** Lines that hold one object each are kept whole up to this. */
export const longestWhole = 400;

/** Longer names are data (base64, minified code), which nobody writes again. */
export const longestName = 200;

/** Arguments up to this long (UTF-16 units) and on one line stand together behind the tool's name. */
export const shortArgument = 240;

/** Shorter values say nothing without their name: `offset=120`. */
export const needsName = 12;

/** Share of what may be kept that is given up for the sake of a whole word. */
export const leeway = 0.2;

/**
 * A logistic model of whether the assistant writes a fact again within its next 120 messages, on
 * log(1 + 10 x mass) for each author, whether the assistant ever wrote it, and its kind. Fitted by ridge
 * regression on 51,000 facts of 67 cuts through 23 recorded agent sessions, checked on sessions left out of
 * the fit (ROC area 0.81), then rounded. Two are set by hand, since recorded users rarely repeat
 * themselves: what a user or a failure names is not counted against it.
 */
export const intercept = -3.9;
export const weights = {
	user: 0.2,
	prose: 0.3,
	call: 0.5,
	result: 0.45,
	failure: 0.45,
	system: 0,
} as const;
/** By the kind of a fact. */
export const kindWeights = new Map([
	[path, -0.2],
	[number, -0.3],
	[hash, -0.7],
	[urlFact, -0.5],
	[errorLine, -0.7],
]);

/** How well a fact stands by the plain words in its segment, from none on; with more of them it stands well. */
export const standingByWords = [0.2, 0.4, 0.6, 0.9];
/** Words that a list has around each of its facts, whatever the count says. */
export const wordsOfList = 1;

/** A line is joined with the next until it has this many plain words and characters. */
export const enoughToQuote = { words: 3, characters: 50 } as const;
/** Share of the longest segment from which on the end of a sentence ends it; signs that are words say as much in fewer. */
export const longSentence = 0.5;
export const longSentenceOfSigns = 0.15;
/** Longer segments are data without structure, and are never quoted. UTF-16 units. */
export const longestSegment = 400;
/** UTF-16 units of a name, task or failure in one line: nobody reads further. */
export const longestQuote = 1000;
/** UTF-16 units of a question in the label of its answer, and of a name in a label. */
export const longestQuestion = 48;
export const longestLabelName = 60;

/** Shorter words say little, whatever they are. UTF-16 units. */
export const shortestPlainWord = 4;
/** Shorter names and numbers stand everywhere by chance. UTF-16 units. */
export const shortestFact = 3;
/** Shorter names are plain words, whatever signs are in them. UTF-16 units. */
export const shortestIdentifier = 5;
/** Letters beside an underscore that make a name of it. */
export const lettersOfIdentifier = 3;
/** An error line is taken this far behind the word that names the error. UTF-16 units. */
export const errorMessage = { shortest: 8, longest: 120 } as const;
/** UTF-16 units of an address: what follows is mostly its query. */
export const longestUrl = 200;
/** No system takes a longer path (`PATH_MAX` of Linux). UTF-16 units. */
export const longestPath = 4096;
/** Longest file extension: `.properties` is cut off, `.markdown` is not. UTF-16 units. */
export const longestExtension = 8;

/** A text longer than this is read at its head and its tail, half of this each. UTF-16 units. */
export const longestRead = 400_000;
/**
 * What is read at once at most, so that even the largest session is summarized within a second. Beyond it the newest
 * results are read whole, and of the older ones no more than a glance. UTF-16 units.
 */
export const mostAtOnce = 16_000_000;
export const glance = 1000;
/** Messages with calls whose files are listed, the newest: what was touched before is history. */
export const newestTouching = 4000;
/** Nested deeper than this, arguments are taken as JSON text: no agent's tool goes there. */
export const deepestArgument = 12;
/** Segments that are looked at in one step: a few milliseconds. */
export const segmentsAtOnce = 2000;
/** A key that fell by less than this share since it was put into a heap still stands first. */
export const stillFirst = 0.999;
