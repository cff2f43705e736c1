/**
 * The tuned numbers of a compaction: limits, weights and shares. `npm run eval -- --sensitivity` prints the effect of
 * halving and doubling each number. Lengths are in UTF-16 units, budgets in raw tokens.
 */

/** The tuned numbers, by subject. Only the evaluation may change them. */
export const tuning = {
	/** Limits of a compaction's target size. */
	target: {
		/**
		 * If protected messages exceed this share of the target, `tuning.rest` depends on the history's language, and a missed
		 * target is blamed on the protected messages.
		 */
		protectedShareLimit: 0.5,
		/** A summary with fewer raw tokens would be useless and is not written: the history stays larger. */
		minSummaryTokens: 160,
		/** Maximum tokens counted for the newest message and its calls, which stay in every compaction. */
		maxNewestTokens: 400,
	},
	/**
	 * Minimum size of the unprotected messages next to large protected ones. A summary of 1,150 tokens answered half of the
	 * questions about recorded sessions of 100,000 tokens; a summary of 400 almost none. Tokens of English prose.
	 */
	rest: {
		shareOfHistory: 0.15,
		maxTokens: 1150,
		/** Minimum in a small history, but at most `shareOfRest` of the unprotected messages. */
		minTokens: 400,
		shareOfRest: 0.25,
		/** Minimum next to large protected messages, as a share of their size: a third makes the rest a quarter of the history. */
		shareOfProtected: 1 / 3,
		/** Minimum next to huge protected messages: this number, plus `shareOfHuge` of their size. */
		tokensNextToHuge: 1100,
		shareOfHuge: 0.1,
	},
	/** The newest messages, which are kept. Shares of the unprotected budget. */
	tail: {
		/** The tail's maximum share. A larger tail leaves too few tokens for the summary. */
		maxShare: 0.4,
		/** The summary's share, which is reserved before the tail's. Longer tails lost more answers than they kept. */
		summaryShare: 0.7,
		/** Maximum summary size as a share of the replaced messages. A longer summary adds little. */
		maxSummaryRatio: 0.6,
	},
	/** What results keep when they are pruned: tokens up to a common level. */
	prune: {
		/**
		 * Limit of the oldest result, as a share of the level. It grows evenly up to the newest one, which may keep all of it.
		 * Checks that ran again later may keep its square, of the limit for their age.
		 */
		oldestShare: 0.5,
		/** Minimum level. Below it, the oldest results are cleared, because a few lines of each say little. */
		minLevelTokens: 300,
	},
	/** Shares of the summary's budget for each block. Unused tokens go to the next blocks. */
	shares: {
		/** Share for users' rules whose messages are not quoted. */
		rules: 0.6,
		/** Share of the rules' tokens for rules that are not binding. */
		looseRules: 0.1,
		/** Share for users' messages that are quoted whole because of their rules. */
		aroundRules: 0.1,
		/** Share for each of the plan, the checks and the files, to which `minBlockTokens` are added for small summaries. */
		block: 0.05,
		minBlockTokens: 30,
		/** Share of the remaining budget for the narrative. Lines of code and data with facts get the rest. */
		narrative: 0.735,
		/** Like `narrative`, in tight summaries of work with tools, where lines of results say more than sentences. */
		tightNarrative: 0.57,
		/** Share of the whole target for the user's words, newest first. */
		userWords: 0.15,
	},
	/** How the narrative spends its budget. */
	narrative: {
		/** Share of the budget for sentences and calls in ample summaries. Lines of results get the rest. */
		ampleShare: 0.7,
		/** Like `ampleShare`, in all other summaries. */
		smallShare: 0.96,
		/** A summary is ample if it may have more than this share of the summarized text. */
		ampleFromRatio: 0.15,
		/** A summary is tight if it may have less than this share of the summarized text. */
		tightBelowRatio: 0.05,
	},
	/** Scores of candidates of the narrative, relative to a plain sentence of the agent. */
	scores: {
		/** A sentence of a long request. */
		longRequest: 1.5,
		/** A short request that does not fit the budget in full. */
		shortRequest: 3.4,
		/** A short question, which its answer explains. */
		question: 0.6,
		/** The agent's report at the end of a turn. */
		finalReport: 1.7,
		/** Factor for a result without rows of data after the assistant's newest message, which has not used it yet. */
		unread: 3,
		/** Results in prose: reports and web pages. */
		report: 0.7,
		/** The agent's thinking, which it often repeats; documents, which are still on disk; code in prose; injected text. */
		secondary: 0.35,
		/** A call other than `readOnlyCall`, `failure` and `check`; a failed call that only reads, or that a later run settled. */
		call: 0.97,
		/** A call that only reads. */
		readOnlyCall: 0.4,
		/** A failed call that does something. */
		failure: 1.2,
		/** A check, or a call with effects that others see. */
		check: 1.1,
		/** A line of a file in a result. */
		fileLine: 0.15,
		/** A line of a command's output. */
		commandLine: 0.35,
		/** A line of any other result. */
		dataLine: 0.6,
		/** Factor for the first line of data, which names its columns. */
		dataHead: 2,
		/** Factor for the first and the last candidate of a message, which usually matter most. */
		edge: 1.25,
	},
	/** Bonus of a sentence for each kind of cue in it; a plain sentence scores 1. */
	cues: {
		cause: 1.1,
		finding: 0.6,
		decision: 0.8,
		state: 0.45,
		deadEnd: 0.9,
		figure: 0.7,
		change: 0.6,
		value: 0.35,
		/** Factor for a sentence that guesses or announces the next step. */
		emptyShare: 0.48,
	},
	/** How candidates are chosen. */
	selection: {
		/** Power to which scores are raised. Above 1, high scores outrank novelty. */
		scorePower: 1.3,
		/** Share of a candidate's score that remains if all its words are already known. */
		knownWordsShare: 0.15,
		/** Share of a score that age does not reduce; the other share halves every `recencyHalfLife` messages. */
		minRecency: 0.6,
		recencyHalfLife: 400,
		/** Length chosen from a message after which its further candidates score half. */
		depthHalfLength: 2000,
		/** Length that a message's label costs. */
		labelLength: 14,
		/** Length that a gap between candidates of a message costs. */
		gapLength: 2,
		/** In small summaries, a fact that is certainly needed scores like a plain sentence of this length. */
		neededFactLength: 66,
		/** A candidate is a duplicate if it shares more of its words with another candidate of its message. */
		duplicateShare: 0.7,
	},
	/** The probability that the assistant writes a fact again. */
	facts: {
		/** Number of messages after which a mention counts half. */
		mentionHalfLife: 150,
		/** Share of a fact's value that remains once it is covered: enough to fill an otherwise unused budget. */
		repeatedShare: 0.001,
		intercept: -3.9,
		/** Coverage of a fact next to 0, 1 and 2 plain words. Next to 3, it is `proseCoverage`; next to more, it is 1. */
		coverageByWords: [0.2, 0.4, 0.6],
		proseCoverage: 0.9,
		/** Share of the value of a line that only a read file shows, because it can be read again. */
		fileLineShare: 0.7,
		/** Value of a plain word. It is tiny, so that text without facts only fills an unused budget. */
		plainWord: 0.0005,
		/** Length that the label of a quotation costs. */
		labelLength: 30,
	},
	/**
	 * Weights of a logistic model that predicts whether the assistant writes a fact again within its next 120 messages, on
	 * log(1 + 10 x mass) for each author. Fitted by ridge regression on 51,000 facts at 67 split points of 23 recorded
	 * sessions, tested on held-out sessions (ROC area 0.81), then rounded. Negative weights of facts that a user or a
	 * failure mentions were set to 0.
	 */
	authorWeights: { user: 0.2, prose: 0.3, call: 0.5, result: 0.45 },
	/** Weights relative to identifiers: `common` for paths and numbers; `unique` for hashes, addresses and error lines. */
	kindWeights: { common: -0.25, unique: -0.65 },
	/** Where segments end. */
	segments: {
		/** A line is joined with the next lines until both minima are reached. */
		minWords: 3,
		minLength: 50,
	},
	/** Lines of results. */
	results: {
		/** Number of candidate lines from each end of a result without rows of data. */
		endLines: 5,
		/** Number of candidate lines from each end of a result with rows of data. */
		endDataLines: 20,
		/** Share of prose lines that makes a result a report. */
		reportShare: 0.4,
	},
	/** Lengths of single texts. */
	lengths: {
		/** Typed messages up to this length are quoted word for word. */
		maxVerbatim: 400,
		/** Longer sentences are split. In Latin letters or their equivalent. */
		maxSentence: 320,
		/** Shorter sentences are joined with the next. In Latin letters or their equivalent. */
		minSentence: 24,
		/** Maximum length of a call's argument, and of JSON members that are joined into one line. */
		maxArgument: 110,
		/** Maximum length of a line with a call, with an outcome, or with a list of JSON values. */
		maxLine: 160,
		/** JSON objects up to this length are shown on one line. */
		maxObject: 280,
		/** Lines are joined up to this length, and arguments are shown after the tool's name. */
		maxSegment: 220,
		/** Longer lines of results count as unstructured data. */
		maxDataLine: 400,
	},
};

const maxReadLength = { newest: 2_000_000, users: 400_000 };

/** Limits on the time of a compaction. They have no effect in sessions of ordinary size. */
export const workLimits = {
	/** Maximum length that a compaction reads of the newest messages, and of older user messages. UTF-16 units. */
	maxReadLength,
	/** Maximum length of cached texts: read by one compaction, or prefetched for a larger tail. UTF-16 units. */
	maxCachedLength: 2.5 * (maxReadLength.newest + maxReadLength.users),
	/** Maximum length that is read from one text; for most uses, half at each end. UTF-16 units. */
	maxLengthOf: {
		sentences: 60_000,
		words: 20_000,
		command: 20_000,
		result: 8000,
		outcome: 8000,
		answer: 4000,
	},
	/** Length of the start of a result that is searched for refusals and tool errors. UTF-16 units. */
	statusLength: 1000,
	/** The choice ends after this number of successive candidates that do not fit. */
	maxMisses: 60,
	/** The item on top of the heap is taken if its current key is at least this share of its stored key. */
	staleKeyTolerance: 0.999,
	/** Numbers of things that are processed before other tasks may run: a few milliseconds of work. */
	unitsPerSlice: 10_000,
	candidatesPerSlice: 2000,
	messagesPerSlice: 200,
	originalsPerSlice: 64,
	resultsPerSlice: 16,
};
