/**
 * The numbers that a compaction is tuned by: limits, weights and shares. `npm run eval -- --sensitivity` prints what
 * halving and doubling each of them costs or gains. Lengths are UTF-16 units, budgets raw tokens; shares are of what
 * their names say.
 */

/** The tuned numbers, by subject. The evaluation changes them; nothing else may. */
export const tuning = {
	/** How far down a compaction goes. */
	target: {
		/** Protected messages above this share of the target leave no room for anything else. */
		protectedShareLimit: 0.5,
		/** Raw tokens below which a summary says nothing: there is none, and the history stays larger. */
		minSummaryTokens: 160,
		/** Tokens of the newest message and its calls that count among what stays anyway. */
		maxNewestTokens: 400,
	},
	/**
	 * What all the rest gets next to protected messages that leave no room. A summary of 1,150 tokens answered half of the
	 * questions asked of recorded sessions of 100,000; one of 400 next to none. Tokens of English prose.
	 */
	rest: {
		shareOfHistory: 0.15,
		maxTokens: 1150,
		/** For a small history, but at most `shareOfRest` of what is not protected. */
		minTokens: 400,
		shareOfRest: 0.25,
		/** Next to large protected messages; a third of them is a quarter of every target that they crowd. */
		shareOfProtected: 1 / 3,
		/** Next to huge ones: some tokens, and a share of them. */
		tokensNextToHuge: 1100,
		shareOfHuge: 0.1,
	},
	/** The newest messages, which stay. Shares of the budget next to protected messages. */
	tail: {
		/** A larger tail crowds the summary out. */
		maxShare: 0.85,
		/** The summary's share before the tail gets its own. A longer tail cost more answers than it kept. */
		summaryShare: 0.7,
		/** A summary above this share of what it replaces says little more. */
		maxSummaryRatio: 0.6,
	},
	/** What the first round of shrinking leaves of a result's text, and the second of the rest; then goes all but the placeholder. */
	resultShare: 0.4,
	/** Shares of the summary's budget that each block may take; what it leaves goes on to what follows. */
	shares: {
		/** Rules of users that stand in none of their words shown. */
		rules: 0.6,
		/** Of the rules' share, for those that do not bind. */
		looseRules: 0.1,
		/** Messages of users that are quoted whole for the sake of their rules. */
		aroundRules: 0.1,
		/** Each of: the plan, the checks, the files; and tokens that they get besides, so that a small summary has some of each. */
		block: 0.05,
		minBlockTokens: 30,
		/** Records that a call changed, or whose id the user or the agent named. */
		records: 0.4,
		/** Of what is left then, the narrative; the rest goes to lines of code and data by the facts in them. */
		narrative: 0.77,
		/** Of the whole target, the user's words, newest first. */
		userWords: 0.15,
	},
	/** How the narrative's budget is spent. */
	narrative: {
		/** Share for what was said and done, before lines of results; in ample summaries and in small ones. */
		ampleShare: 0.7,
		smallShare: 0.96,
		/** A summary is ample above this share of what it is made from. */
		ampleFromRatio: 0.15,
	},
	/** How a candidate of the narrative is scored next to a plain sentence of the agent. */
	scores: {
		/** What the user asked at length. */
		longRequest: 1.5,
		/** What the user said in short, if there is no room for it word for word; a question, which its answer explains. */
		shortRequest: 3.4,
		question: 0.6,
		/** The agent's thinking, of which much is said again; thinking that repeats the user's words. */
		thought: 0.7,
		restatedRequest: 0.3,
		/** The report at the end of a turn. */
		finalReport: 1.7,
		/** Results that are prose: reports, pages. */
		report: 0.7,
		/** Documents, which can be read again from disk; code in prose; what an agent or a skill put into the conversation; system prompts. */
		quoted: 0.35,
		/** A call, or a failure that passed later; a call that only looks; one that failed; one that checks the work, or that others see. */
		call: 0.7,
		readOnlyCall: 0.5,
		failure: 1.2,
		check: 1.1,
		/** Lines of results: of a file, a command, of data. */
		fileLine: 0.15,
		commandLine: 0.35,
		dataLine: 0.6,
		/** The first line of data names what it is of. */
		dataHead: 2,
		/** What is first or last in a message says most. */
		edge: 1.25,
	},
	/** What a sentence gains for each kind of cue in it, next to the 1 of a plain one. */
	cues: {
		cause: 1.1,
		finding: 0.6,
		decision: 0.8,
		state: 0.45,
		deadEnd: 0.9,
		figure: 0.7,
		change: 0.6,
		value: 0.35,
		/** The score of a sentence that only praises; the share left of one that guesses or narrates the next move. */
		praise: 0.1,
		emptyShare: 0.48,
	},
	/** How candidates are chosen. */
	selection: {
		/** Above 1, what says much goes before what says something new. */
		scorePower: 1.3,
		/** Share of a score that is left if all words are known. */
		knownWordsShare: 0.15,
		/** Share left of the oldest candidates; the rest halves in this many messages. */
		minRecency: 0.6,
		recencyHalfLife: 400,
		/** Length taken of one message after which the next candidate of it is worth half. */
		depthHalfLength: 2000,
		/** What a label costs, and a gap between candidates of a message. */
		labelLength: 14,
		gapLength: 2,
		/** In small summaries: length of a plain sentence that a fact which is surely needed again is worth. */
		neededFactLength: 66,
		/** Share of its words above which a candidate is a duplicate of another of its message. */
		duplicateShare: 0.7,
	},
	/** How likely the assistant is to write a fact again. */
	facts: {
		/** Messages in which a mention loses half of its weight. */
		mentionHalfLife: 150,
		/** What is left of a fact's value once it is covered: enough to fill a budget that nothing else fills. */
		repeatedShare: 0.001,
		intercept: -3.9,
		/** How well a fact is covered by no plain word, one or two; by three, or in prose; fully by more. */
		coverageByWords: [0.2, 0.4, 0.6],
		proseCoverage: 0.9,
		/** What a plain word is worth next to facts: text without any is quoted if there is room for it. */
		plainWord: 0.0005,
		/** Length that the label of a quotation costs. */
		labelLength: 30,
	},
	/**
	 * Weights of a logistic model of whether the assistant writes a fact again within its next 120 messages, on
	 * log(1 + 10 x mass) for each author. Fitted by ridge regression on 51,000 facts of 67 cuts through 23 recorded
	 * sessions, checked on sessions left out of the fit (ROC area 0.81), then rounded. What a user or a failure names is
	 * not counted against it.
	 */
	authorWeights: { user: 0.2, prose: 0.3, call: 0.5, result: 0.45 },
	/** The same by the kind of a fact, next to identifiers: paths and numbers; hashes, addresses and error lines. */
	kindWeights: { common: -0.25, unique: -0.65 },
	/** Where segments end. */
	segments: {
		/** A line is joined with the next until it has this many plain words and this length. */
		minWords: 3,
		minLength: 50,
	},
	/** Lines of results. */
	results: {
		/** Lines that are candidates of the narrative from each end of a result, and of data. */
		endLines: 5,
		endDataLines: 20,
		/** The share of lines of prose that makes a result a report. */
		reportShare: 0.4,
	},
	/** Lengths of what is shown in one piece. */
	lengths: {
		/** Typed messages up to this stay word for word. */
		maxVerbatim: 400,
		/** Sentences: longer ones are parted, shorter ones joined with what follows. Latin letters, or signs that say as much. */
		maxSentence: 320,
		minSentence: 24,
		/** One argument of a call, and a member of a JSON object that comes before longer ones. */
		maxArgument: 110,
		/** A call, its outcome, and a list of JSON values, on one line. */
		maxLine: 160,
		/** A JSON object up to this stays on one line. */
		maxObject: 280,
		/** Lines are joined up to this, and arguments are shown behind the tool's name. */
		maxSegment: 220,
		/** Longer lines of results are data without structure. */
		maxDataLine: 400,
	},
};

/**
 * When a compaction is due and how far down it goes if nobody names a target. These numbers come from prices and from what
 * agents and providers do; the evaluation, which names its targets, does not reach them. Shares are of what is available.
 */
export const targetPolicy = {
	/** What a compaction costs and when it is due. */
	cost: {
		/** Share of what the history may use that a compaction leaves if neither a setting nor the cost decides. */
		defaultShare: 0.6,
		/** What a compaction by a model leaves of the history, with files that its agent attaches again, and writes. */
		agentLeavesTokens: 6000,
		agentWritesTokens: 3000,
		/** The smallest target that the cost may lead to: twice what a model's summary leaves, and a margin. */
		minViewTokens: 13_500,
		/** Share of what is available up to which a compaction that would not pay back is held back. */
		maxTriggerShare: 0.95,
		/** Tokens by which a request grows while a session shows nothing else: a call and its result. */
		requestGrowthTokens: 1500,
		/** A target above the first share of the trigger is reached again at once; it is lowered to the second. */
		nearTriggerShare: 0.9,
		belowTriggerShare: 0.75,
	},
	/** How far down a recovery from an overflow goes; shares are of what is available. */
	recovery: {
		targetShare: 0.7,
		/** Margin below the level at which a compaction would be due again. */
		marginShare: 0.05,
		/** Share of what is left below that level, if what surrounds the history nearly fills it. */
		restShare: 0.75,
		minTokens: 1000,
		minShare: 0.02,
	},
};

const maxReadLength = { newest: 2_000_000, users: 400_000 };

/** Bounds of the time that a compaction takes. They change nothing in sessions of an ordinary size. */
export const workLimits = {
	/** What a compaction reads: the newest messages, and older ones of users. UTF-16 units. */
	maxReadLength,
	/**
	 * What is cached of it: what one compaction reads of what it replaces and of what stays, and what was read ahead of a
	 * larger tail. UTF-16 units.
	 */
	maxCachedLength: 2.5 * (maxReadLength.newest + maxReadLength.users),
	/** How much is read of one text, half of it at each end where both are. UTF-16 units. */
	maxLengthOf: {
		sentences: 60_000,
		words: 20_000,
		command: 20_000,
		result: 8000,
		outcome: 4000,
		answer: 4000,
	},
	/** A refusal, or a fault of the tool itself, says so within this much of a result. UTF-16 units. */
	statusLength: 1000,
	/** Candidates that did not fit, in a row, after which no other is tried. */
	maxMisses: 60,
	/** A key that fell by less than this share in a heap is still the first. */
	staleKeyTolerance: 0.999,
	/** What is walked over, read, counted or rendered before others may work: a few milliseconds. */
	unitsPerSlice: 10_000,
	candidatesPerSlice: 2000,
	messagesPerSlice: { outcomes: 400, pieces: 100 },
	perSlice: { attachments: 32, reasoning: 64, placeholders: 5000, originals: 64, results: 16 },
	removedLinesPerSlice: { characters: 200_000, sources: 5000 },
};
