/**
 * What pieces of a thread are worth beside a plain sentence of the agent. Chosen with the numbers of the summary (see
 * `summary/tuning.ts`); most may change by a third without a difference of more than one question in a hundred.
 */

export const worths = {
	/** What the user asked at length. */
	asked: 1.5,
	/** What he said in short, where there is no room for it word for word; and a question, which its answer makes known. */
	statement: 3.4,
	question: 0.6,
	/** The agent's thinking, of which much is said again. */
	thought: 0.7,
	/** Thinking that says the user's words again. */
	askedAgain: 0.3,
	/** A message that thinks aloud, from `longThought` letters on. */
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

/** What a sentence gains for each kind of cue in it, beside the 1 of a plain one. */
export const cueWorths = {
	cause: 1.1,
	finding: 0.6,
	decision: 0.8,
	state: 0.45,
	deadEnd: 0.9,
	figure: 0.7,
	change: 0.6,
	value: 0.35,
} as const;
/** What a sentence is worth that only applauds; the share that is left of one that guesses, or narrates the next move. */
export const applauseWorth = 0.1;
export const guessShare = 0.5;
export const narrationShare = 0.45;

/**
 * Letters of Latin script that say as much as one sign of another. In two parallel texts, a talk and a session of work,
 * English had 6,800 letters, German 1.08 times as many, Chinese 1,700 ideographs, Japanese 760 and 1,760 kana: by these
 * numbers all four are as long as the English one to a twelfth.
 */
export const lettersOf = { ideograph: 3.5, kana: 2, syllable: 2.2 } as const;
/** What plain English costs beside English about code, which is the dearest in recorded sessions: it counts as English, too. */
export const dearestEnglish = 0.88;
/** Letters of a call as the thread tells it, about. */
export const lettersOfCall = 60;
/**
 * What is read to tell what prose costs in a session's language, newest first, in letters; what is too little to tell;
 * the share of letters that English does not have below which it is English;
 * and the most that it is taken to cost. The parallel texts cost up to 1.25 times as much in German as English is taken
 * to, up to 1.4 times in Chinese, and 1.2 to 1.65 times in Japanese.
 */
export const priced = { letters: 4000, fewest: 200, foreign: 0.005, most: 2 } as const;

/** Of a sentence: longer pieces are parted at a comma or a space. Latin letters, or signs that say as much. */
export const longestSentence = 320;
/** Shorter ones are joined with what follows in the same paragraph. Latin letters, or signs that say as much. */
export const shortestSentence = 24;
/** Words of fewer UTF-16 units say little, numbers of fewer digits nothing. */
export const shortestWord = 4;
export const shortestNumber = 2;
/** Shorter lines stand in too many places to be told apart. UTF-16 units. */
export const shortestLine = 12;

/** Typed messages up to this long stay word for word; longer ones are told by their sentences. UTF-16 units. */
export const longestVerbatim = 400;
/** An answer begins within so many UTF-16 units of a refusal's text: the host's own words stand before it. */
export const answerWithin = 600;

/** UTF-16 units of one argument of a call, and of all of them: a call is told in one line. */
export const longestArgument = 110;
export const longestCall = 150;
/** Parts of a long path that are named: the whole of it stands in the list of files. */
export const namedParts = 3;
/** Shorter words of an agent in a call are told with it. UTF-16 units. */
export const shortestSpoken = 60;
/** Of a longer command the beginning tells what it does. UTF-16 units. */
export const longestCommand = 400;
/** Two commands that begin alike for so long did the same. UTF-16 units. */
export const longestAction = 100;
/** UTF-16 units of an outcome, which stands behind its call on one line. */
export const longestOutcome = 170;
/** Exit codes stand within so much of a result's start, or of its end. UTF-16 units. */
export const exitCodeWithin = { head: 400, tail: 200 } as const;
/** A refusal, and a fault of the tool itself, say so at the start. UTF-16 units. */
export const toolWordsWithin = 1000;
/** Shorter lines of an output are single words, which tell no outcome. UTF-16 units. */
export const shortestOutcome = 12;
/** Of a line so much is looked at for the name of an error. UTF-16 units. */
export const errorWithin = 400;

/** Longer lines of a result are data without structure. UTF-16 units. */
export const longestResultLine = 400;
/** The share of lines of prose that makes a result a report. */
export const reportShare = 0.4;
/** Shorter messages may have been typed, and are nobody's report. UTF-16 units. */
export const shortestObservation = 400;
/** JSON: lists up to this long stay on one line. UTF-16 units. */
export const longestList = 160;
/**
 * Objects up to this long do: half of one says little. From 160 to 280 three more of 212 questions that somebody
 * who goes on must be able to answer were answered at a quarter; 240 and 340 are worse than 280 by one or two.
 */
export const longestObject = 280;
/** Of a longer object the members up to this long stand first, together. UTF-16 units. */
export const shortMember = 90;
/** What is longer is data, whatever it begins with. UTF-16 units. */
export const longestLink = 1000;
/**
 * Shorter JSON says itself what it is; longer is data, left as it is, and so is what is nested in more levels: each costs
 * a look at all that is in it. UTF-16 units, and lists and objects in one another.
 */
export const laidOutJson = { shortest: 80, longest: 200_000, deepest: 64 } as const;

/**
 * How much is read of one text, half of it at each end where both are; UTF-16 units. Longer ones are data or pasted
 * documents, and the time that a compaction takes has a bound.
 */
export const mostRead = {
	sentences: 60_000,
	words: 20_000,
	command: 20_000,
	result: 8000,
	outcome: 4000,
	answer: 4000,
} as const;
/**
 * UTF-16 units of the newest messages that a compaction reads, and of older ones of users: of a longer session the
 * oldest results and answers are not looked into, so that the time it takes has a bound.
 */
export const reach = { newest: 2_000_000, users: 400_000 };
/**
 * What was read is kept up to this (UTF-16 units), and then begun anew: what one compaction reads of what it replaces and
 * of what stays, and what was read ahead of a larger tail. Kept up to less, each compaction that leaves a large tail
 * would read everything again.
 */
export const mostKept = 2.5 * (reach.newest + reach.users);
/** Messages that are looked at in one step: for their outcomes, and for their pieces. A few milliseconds. */
export const messagesAtOnce = { outcomes: 400, pieces: 100 } as const;
/** Fewer numbers are compared with one another faster than they are put into a set. */
export const fewNumbers = 24;
/**
 * By what the numbers before lines are told from a column of numbers: so many lines are looked at, and line numbers count
 * up one by one in at least this share of the steps, since something may be left out between two.
 */
export const numberedLines = { most: 60, leastSteps: 0.5 } as const;
