/**
 * The numbers that a summary is made by. They were chosen on recorded agent sessions, by questions that somebody who
 * goes on with the work must be able to answer from the summary, and by the facts that the agent wrote again later;
 * where both moved apart, the questions went first.
 */

/** Shares of the summary's room that each block may take; what it leaves goes on to what follows. */
export const shares = {
	/** Rules of users that stand in none of their words shown. */
	rules: 0.6,
	/** Messages of users that are told whole for the sake of their rules. */
	aroundRules: 0.1,
	todos: 0.06,
	/** Last outcomes of tests, builds and measurements. */
	checks: 0.05,
	files: 0.06,
	/**
	 * Of what is left then, the thread: what was said and done. The rest goes to lines of code and data by the facts
	 * in them. From 0.65 to 0.8 the share of questions answered at a tenth rose from 0.74 to 0.80; with more the facts
	 * fell below 0.65.
	 */
	thread: 0.77,
} as const;

/** Share of the whole target that the user's words may take, newest first. */
export const userWordsShare = 0.15;

/** Short messages of users, the newest, that are read for rules where there is no summary. */
export const maxScannedUserMessages = 2000;

/** Tokens that a block may take beyond its share, so that a small summary has something of each. */
export const least = { todos: 20, checks: 30, files: 30, userWords: 60 } as const;

/**
 * Of the thread's room what is said and done may take, before lines of results do; a summary is ample that has more
 * than this share of what it is made from. In small ones a line of a result costs a reason.
 */
export const talk = { ample: 0.7, small: 0.96, ampleFrom: 0.15 } as const;

/**
 * In a room of less than this part of what it is made from, which file a call read is told by the list of files alone:
 * at a tenth that leaves room for more answers, at a half it costs facts.
 */
export const readsFrom = 0.3;

/** Messages before the newest that is summarized whose thread stands under "Current Work". */
export const currentMessages = 6;

/** Checks whose last outcome is told, and figures of earlier runs of each. */
export const mostChecks = 5;
export const mostEarlier = 2;

/** Tokens that a heading takes, about. */
export const headingTokens = 9;

/** Plain words enough for a fact to be understood. */
export const enoughWords = 9;

/** What a plain word is worth beside facts: text without any is quoted where there is room for it. */
export const plainWord = 0.0005;

/** Shorter words may stand anywhere by chance. UTF-16 units. */
export const leastSaid = 60;

/** Share of the rules' room that those may take that do not bind. */
export const looseRulesShare = 0.1;
/** A rule is no shorter and no longer; in scripts that need fewer characters, no shorter than `dense`. One up to `part` may refer to the sentence before it. UTF-16 units. */
export const ruleLength = { shortest: 12, dense: 5, part: 48, longest: 400 } as const;
/** Longer messages are pasted documents: what they say is not the user's own rule. So much of their lines is read. UTF-16 units. */
export const longestOwnWords = 6000;
export const mostRuleLines = 4 * longestOwnWords;

/** UTF-16 units of an outcome that was followed by another: only how it went. */
export const longestEarlier = 80;
/** Files that a folder is named for, so that its name is worth its place. */
export const leastInFolder = 2;
/** Characters that the label of a quotation costs. */
export const labelCharacters = 30;
/** UTF-16 units of a token, about. */
export const charactersPerToken = 4;
/**
 * In languages that cost more tokens the thread may take so much of what is left, to say what it would in English. In
 * small rooms nearly all: at a tenth of a session of work in Japanese that told three of twenty facts more. In large
 * ones 0.95 cost recorded sessions in Japanese one in six of the facts that were needed again.
 */
export const mostProse = { small: 0.95, large: 0.8 } as const;
/** A small room, in tokens of English prose. */
export const smallRoom = 400;
/** A message is told whole for its rules' sake where it costs no more than so many times what they do. */
export const aroundRules = 2;
/** There lines of results and quotations get nothing where less than this is left for them: a line with its label takes half. */
export const fewestForLines = 40;
/** Where less than this share of a piece is new and names nothing, what is left of it says nothing: `if (failed) {`. */
export const leastNew = 0.5;
/** What is read for removed lines in one step, a few milliseconds: UTF-16 units, and sources that were read before. */
export const removedAtOnce = { chars: 200_000, known: 5000 } as const;
/** What was seen of a file most lately that is gone through where all of it is rewritten: a file read and changed for days costs no more. */
export const mostSeenOfFile = 40;
