/** The numbers that the ledger goes by. Chosen on recorded sessions: those of `summary/tuning.ts` are measured with them. */

import { errorLine, hash, number, path, urlFact } from './facts.ts';
import type { Author } from './ledger.ts';

/** In this many messages a mention loses half of its weight. */
export const halfLife = 150;

/** What is left of a fact's worth when it stands well already: enough to fill a room that nothing else fills. */
export const repeat = 0.001;

/** Segments that did not fit, in a row, after which nothing else is tried. */
export const mostMisses = 40;

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
export const weights: Record<Author, number> = {
	user: 0.2,
	prose: 0.3,
	call: 0.5,
	result: 0.45,
	failure: 0.45,
	system: 0,
};
/** By the kind of a fact. */
export const kinds = new Map([
	[path, -0.2],
	[number, -0.3],
	[hash, -0.7],
	[urlFact, -0.5],
	[errorLine, -0.7],
]);
