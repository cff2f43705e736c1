/**
 * What pieces of a thread are worth beside a plain sentence of the agent. Chosen with the numbers of the summary (see
 * `summary/tuning.ts`); most may change by a third without a difference of more than one question in a hundred.
 */

export const worths = {
	/** What the user asked at length. */
	asked: 1.5,
	/** The agent's thinking, of which much is said again. */
	thought: 0.7,
	/** Thinking that says the user's words again. */
	askedAgain: 0.3,
	/** A message that thinks aloud, from `longThought` UTF-16 units on. */
	longThought: 0.8,
	/**
	 * What an agent says at the end of its turn, beside what it says on the way: the report that the user gets. From 1
	 * to 1.7 two questions in a hundred more were answered around a tenth, and one around a quarter; 2.2 and 3 alike.
	 */
	final: 1.7,
	/** Work that the user undid. */
	undone: 0.6,
	/** What an agent or a skill put into the conversation. */
	injected: 0.5,
	system: 0.3,
	/** Results that are prose: reports, pages; and documents, which can be read again from disk. */
	report: 0.7,
	document: 0.5,
	code: 0.5,
	/** A call that does something; one that only looks; one that failed, or did and passed later; one that checks the work, or that others see. */
	call: 0.7,
	look: 0.5,
	failure: 1.2,
	passedLater: 0.7,
	check: 1.1,
	/** Lines of results: of a file, a command, of data. */
	fileLine: 0.15,
	commandLine: 0.35,
	dataLine: 0.5,
	/** What a line of JSON is worth beside another: it holds whole objects. */
	structured: 1.2,
} as const;

export const longThought = 2500;

/** What stands first or last in a message says most. */
export const edge = 1.25;
/** The first line of data names what it is of. */
export const firstOfData = 2;

/** Lines of a result, and of data, that are looked at from each end. */
export const endsOf = { lines: 5, data: 20 } as const;

/**
 * What introduces something ("The fix is to:") is told with the line below it, up to so many UTF-16 units: without it
 * it says nothing. 200 and 320 alike; as many questions are answered as where each stands alone.
 */
export const longestTogether = 320;

/** The power of a piece's worth in the choice: above 1 what says much goes before what says something new. */
export const worthPower = 1.3;
/** What is left of a piece's worth when all its words are known. */
export const knownShare = 0.15;
/** Of the oldest pieces so much is left; the rest halves in so many messages. */
export const oldest = 0.6;
export const halfLife = 400;
/** UTF-16 units of one message after which the next piece of it is worth half. */
export const halfDepth = 2000;
/** UTF-16 units that a label before a message costs, and a gap between its pieces. */
export const labelCost = 14;
/** Tokens of that label, about. */
export const labelTokens = 6;
export const gapCost = 2;
/**
 * In small summaries: what a fact that is surely needed again is worth beside so many UTF-16 units of a plain
 * sentence, and how well one stands in a piece. Around a tenth as many questions were answered with it and 1.5 in a
 * hundred more facts kept; 60 and 100 cost two questions in a hundred, and in larger summaries it costs answers alone.
 */
export const neededFact = 35;
export const amongWords = 0.9;
/**
 * A piece is said already where its message says this share of its words in another, which has at least so many of
 * them: agents think a sentence and then write it. Around a tenth one question in a hundred more was answered, from
 * 0.65 to 0.8 alike.
 */
export const nearly = { share: 0.7, words: 3 } as const;
/** Below this a piece is not worth its place. */
export const leastWorth = 0.02;
/** Pieces that did not fit, in a row, after which no other is tried. */
export const mostMisses = 60;
/** Pieces that are looked at in one step. */
export const atOnce = 2000;
