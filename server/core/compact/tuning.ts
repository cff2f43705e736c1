/**
 * The tuned numbers of a compaction: limits, weights and shares. `npm run eval -- --sensitivity` prints what halving
 * and doubling each one costs or gains. Lengths are in UTF-16 units, budgets in raw tokens; names say what a share is
 * of.
 */

/** The tuned numbers, by subject. Only the evaluation may change them. */
export const tuning = {
	/** How far down a compaction goes. */
	target: {
		/** Protected messages above this share of the target leave no room for anything else. */
		protectedShareLimit: 0.5,
		/** Raw tokens below which a summary is useless: none is made, and the history stays larger. */
		minSummaryTokens: 160,
		/** Maximum tokens counted for the newest message and its calls, which stay in every compaction. */
		maxNewestTokens: 400,
	},
	/**
	 * What the rest gets next to protected messages that leave no room. A summary of 1,150 tokens answered half of the
	 * questions asked about recorded sessions of 100,000 tokens; one of 400 almost none. Tokens of English prose.
	 */
	rest: {
		shareOfHistory: 0.15,
		maxTokens: 1150,
		/** For a small history, but at most `shareOfRest` of what is not protected. */
		minTokens: 400,
		shareOfRest: 0.25,
		/** Next to large protected messages: a third of them is a quarter of every target that they crowd. */
		shareOfProtected: 1 / 3,
		/** Next to huge protected messages: a base, and a share of them. */
		tokensNextToHuge: 1100,
		shareOfHuge: 0.1,
	},
	/** The newest messages, which are kept. Shares of the budget next to protected messages. */
	tail: {
		/** A larger tail leaves too little for the summary. */
		maxShare: 0.4,
		/** The summary's share before the tail gets its own. Longer tails lost more answers than they kept. */
		summaryShare: 0.7,
		/** Above this share of what it replaces, a longer summary adds little. */
		maxSummaryRatio: 0.6,
	},
	/** Share of a result's text that the first round of shrinking keeps; the second keeps its square, the last none. */
	resultShare: 0.4,
	/** Shares of the summary's budget for each block; the following blocks get what one leaves. */
	shares: {
		/** Rules of users that are not part of their quoted words. */
		rules: 0.6,
		/** Share of the rules' tokens for rules that are not binding. */
		looseRules: 0.1,
		/** Messages of users that are quoted whole because of their rules. */
		aroundRules: 0.1,
		/** For each of the plan, the checks and the files: a share, and tokens on top for the sake of small summaries. */
		block: 0.05,
		minBlockTokens: 30,
		/**
		 * Share of the remaining budget for the narrative; the rest goes to lines of code and data that contain
		 * facts.
		 */
		narrative: 0.77,
		/** The same share in tight summaries of work with tools, where lines of results say more than sentences. */
		tightNarrative: 0.63,
		/** Share of the whole target for the user's words, newest first. */
		userWords: 0.15,
	},
	/** How the narrative spends its budget. */
	narrative: {
		/** Share for sentences and calls, which are chosen before lines of results; in ample and in small summaries. */
		ampleShare: 0.7,
		smallShare: 0.96,
		/** A summary is ample above this share of what it is made from. */
		ampleFromRatio: 0.15,
		/** A summary is tight below this share. */
		tightBelowRatio: 0.05,
	},
	/** Scores of candidates of the narrative, relative to a plain sentence of the agent. */
	scores: {
		/** A sentence of a long request. */
		longRequest: 1.5,
		/** A short request that there is no room to quote; a question, which its answer explains. */
		shortRequest: 3.4,
		question: 0.6,
		/** The agent's thinking, which it often repeats later; thinking that repeats the user's words. */
		thought: 0.7,
		restatedRequest: 0.3,
		/** The agent's report at the end of a turn. */
		finalReport: 1.7,
		/** Results in prose: reports and web pages. */
		report: 0.7,
		/** Documents, which are still on disk; code in prose; text inserted by an agent or a skill; system prompts. */
		quoted: 0.35,
		/**
		 * Scores of calls: plain ones and failures that passed later; read-only; failed; checks and calls with
		 * effects that others see.
		 */
		call: 0.7,
		readOnlyCall: 0.5,
		failure: 1.2,
		check: 1.1,
		/** Lines of results: of a file, of a command, of data. */
		fileLine: 0.15,
		commandLine: 0.35,
		dataLine: 0.6,
		/** The first line of data, which names its columns. */
		dataHead: 2,
		/** The first and the last candidate of a message, which usually matter most. */
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
		/** Share left of a sentence that guesses or announces the next step. */
		emptyShare: 0.48,
	},
	/** How candidates are chosen. */
	selection: {
		/** Above 1, high scores outrank novelty. */
		scorePower: 1.3,
		/** Share of a score that is left if all words are already known. */
		knownWordsShare: 0.15,
		/** Share of its score that the oldest candidate keeps; the rest halves in this many messages. */
		minRecency: 0.6,
		recencyHalfLife: 400,
		/** Length chosen from one message at which further candidates of it are worth half. */
		depthHalfLength: 2000,
		/** Length that a label costs, and a gap between candidates of a message. */
		labelLength: 14,
		gapLength: 2,
		/** In small summaries: the length of plain sentence that one certainly needed fact is worth. */
		neededFactLength: 66,
		/** Share of shared words above which a candidate is a duplicate of another of its message. */
		duplicateShare: 0.7,
	},
	/** How likely the assistant is to write a fact again. */
	facts: {
		/** Messages after which a mention counts half. */
		mentionHalfLife: 150,
		/** Share of a fact's value that is left once it is covered: enough to fill an otherwise unused budget. */
		repeatedShare: 0.001,
		intercept: -3.9,
		/** How well a fact is covered next to no plain word, one, two; next to three, or in prose. Fully next to more. */
		coverageByWords: [0.2, 0.4, 0.6],
		proseCoverage: 0.9,
		/** Value of a plain word next to facts: text without facts is quoted only if there is room. */
		plainWord: 0.0005,
		/** Length that the label of a quotation costs. */
		labelLength: 30,
	},
	/**
	 * Weights of a logistic model of whether the assistant writes a fact again within its next 120 messages, on log(1 +
	 * 10 x mass) for each author. Fitted by ridge regression on 51,000 facts of 67 cuts through 23 recorded sessions,
	 * checked on sessions left out of the fit (ROC area 0.81), then rounded. Negative weights of facts that a user or a
	 * failure names were set to 0.
	 */
	authorWeights: { user: 0.2, prose: 0.3, call: 0.5, result: 0.45 },
	/** Weights by the kind of a fact, relative to identifiers: paths and numbers; hashes, addresses and error lines. */
	kindWeights: { common: -0.25, unique: -0.65 },
	/** Where segments end. */
	segments: {
		/** A line is joined with the next until both minima are reached. */
		minWords: 3,
		minLength: 50,
	},
	/** Lines of results. */
	results: {
		/** Number of candidate lines from each end of a result, and of data. */
		endLines: 5,
		endDataLines: 20,
		/** Share of prose lines that makes a result a report. */
		reportShare: 0.4,
	},
	/** Lengths of single texts. */
	lengths: {
		/** Typed messages up to this length are quoted word for word. */
		maxVerbatim: 400,
		/** Longer sentences are split, shorter ones joined with the next. In Latin letters or their equivalent. */
		maxSentence: 320,
		minSentence: 24,
		/** One argument of a call, and a short member of a JSON object, which goes before longer ones. */
		maxArgument: 110,
		/** A call, its outcome, and a list of JSON values, each on one line. */
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

/** Limits on the time of a compaction. They change nothing in sessions of ordinary size. */
export const workLimits = {
	/** Length that a compaction reads: of the newest messages, and of older ones of users. UTF-16 units. */
	maxReadLength,
	/** Length of cached texts: those that one compaction reads, and those prefetched for a larger tail. UTF-16 units. */
	maxCachedLength: 2.5 * (maxReadLength.newest + maxReadLength.users),
	/** Length that is read of one text, half of it at each end for most uses. UTF-16 units. */
	maxLengthOf: {
		sentences: 60_000,
		words: 20_000,
		command: 20_000,
		result: 8000,
		outcome: 4000,
		answer: 4000,
	},
	/** Length of the start of a result that is searched for refusals and tool errors. UTF-16 units. */
	statusLength: 1000,
	/** Number of candidates in a row that did not fit, after which the choice ends. */
	maxMisses: 60,
	/** A heap key that fell to no less than this share is still treated as the largest. */
	staleKeyTolerance: 0.999,
	/** How much is processed before other tasks may run: a few milliseconds' worth. */
	unitsPerSlice: 10_000,
	candidatesPerSlice: 2000,
	messagesPerSlice: 200,
	originalsPerSlice: 64,
	resultsPerSlice: 16,
};
