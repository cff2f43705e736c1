/** A number as errors write it: "1,048,576", "1_048_576", "128k". */
const numberSource = '\\d[\\d,_]{0,14}(?:[km]\\b)?';

/** The numbers of tokens in an overflow error. */
export interface OverflowTokens {
	actual?: number;
	limit?: number;
	/** Tokens that the request reserved for the answer. */
	output?: number;
	/** Set if `limit` excludes the reserve for the answer, and `actual` is the input alone. */
	excludesOutput?: true;
}

/** Compiles a form to a pattern with a named group for each name in braces. */
export function compileForm(form: string): RegExp {
	return new RegExp(
		form.replace(
			/\{(actual|limit|input|output|window)\}/g,
			(_, name: string) => `(?<${name}>${numberSource})`,
		),
		'i',
	);
}

const suffixFactors: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/** Parses a number of an error; undefined if it cannot be a number of tokens. */
function readNumber(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const scale = suffixFactors[text.slice(-1).toLowerCase()];
	const value = Number(text.replace(/[,_km]/gi, '')) * (scale ?? 1);
	return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/**
 * Returns the numbers of a match. If the error compares input and output with the window separately, the actual tokens are
 * the input, and the limit is the window minus the output. No limit is returned if the output alone fills the window.
 */
export function parseOverflowTokens(groups: Record<string, string | undefined>): OverflowTokens {
	const { window } = groups;
	if (window === undefined) return { actual: readNumber(groups.actual), limit: readNumber(groups.limit) };
	const output = readNumber(groups.output) ?? 0;
	const remaining = (readNumber(window) ?? 0) - output;
	return {
		actual: readNumber(groups.input),
		limit: remaining > 0 ? remaining : undefined,
		output,
		excludesOutput: true,
	};
}

const completionPattern = new RegExp(
	`(${numberSource}) (?:tokens )?(?:in|for) (?:the |your )?(?:completion|output)`,
	'i',
);

/** Returns the output part of a stated total: "(497 in the messages, 4000 in the completion)". */
export function readOutputReserve(text: string): number | undefined {
	return readNumber(completionPattern.exec(text)?.[1]);
}

const subjectPattern = /\b(?:context|prompt|inputs?|messages?|conversation|request)\b/i;
const excessPattern =
	/exceed|too (?:long|large|many|big)|(?:larger|longer|greater|more) than|\bover\b|beyond|above|overflow|>/i;
const outputLimitPattern = /max_?(?:output_?|completion_?|new_?)?tokens|(?:output|completion) tokens/i;
const limitPattern = new RegExp(
	`(?:limit|max(?:imum)?|window|capacity|at most|up to|supports?|allow(?:s|ed)|only)\\b[^\\d\\n]{0,40}(${numberSource})`,
	'gi',
);
const figurePattern = new RegExp(`(?<![\\d.,_])${numberSource}`, 'gi');
const tokenFigurePattern = new RegExp(
	`(${numberSource})[^\\d\\n]{0,12}tokens?\\b|tokens?\\b[^\\d\\n]{0,24}(${numberSource})`,
	'gi',
);

/** Minimum number that counts as tokens of a request. Smaller numbers are statuses, indexes or message counts. */
const minContextTokens = 600;

function findFigures(text: string, pattern: RegExp): number[] {
	return [...text.matchAll(pattern)]
		.map((match) => readNumber(match[1] ?? match[2] ?? match[0]) ?? 0)
		.filter((value) => value >= minContextTokens);
}

/**
 * Detects an overflow in wording that no form covers; undefined if the text describes none. The text must mention an input
 * in tokens that is too large, and a number beyond the limit that it names or beyond the known window (tokens).
 */
export function detectUnknownWording(text: string, contextWindow?: number): OverflowTokens | undefined {
	const start = text.slice(0, 4_000);
	if (
		!subjectPattern.test(start) ||
		!/tokens?\b/i.test(start) ||
		!excessPattern.test(start) ||
		outputLimitPattern.test(start)
	) {
		return undefined;
	}
	const limits = findFigures(start, limitPattern);
	const limit = limits.length > 0 ? Math.min(...limits) : contextWindow;
	if (limit === undefined) return undefined;
	const actual = Math.max(...findFigures(start, limits.length > 0 ? figurePattern : tokenFigurePattern));
	return actual > limit && Number.isFinite(actual) ? { actual, limit } : undefined;
}
