/** A number as errors write it: "1,048,576", "1_048_576", "128k". */
const numberSource = '\\d[\\d,_]{0,14}(?:[km]\\b)?';

/** What a form's numbers mean: `input` and `output` are asked for against `window`, `actual` against `limit`. */
export interface FoundTokens {
	actual?: number;
	limit?: number;
	/** What the request reserved for the answer. */
	output?: number;
	/** The limit is what that reserve leaves of the window, and the actual figure the input alone. */
	isApart?: true;
}

/** A form of words as a pattern whose groups bear the names in braces. */
export function compileForm(form: string): RegExp {
	return new RegExp(
		form.replace(
			/\{(actual|limit|input|output|window)\}/g,
			(_, name: string) => `(?<${name}>${numberSource})`,
		),
		'i',
	);
}

const scales: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/** What such a number says, or undefined where it is none that could count tokens. */
function readNumber(text: string | undefined): number | undefined {
	if (text === undefined) return undefined;
	const scale = scales[text.slice(-1).toLowerCase()];
	const value = Number(text.replace(/[,_km]/gi, '')) * (scale ?? 1);
	return Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/**
 * The figures of a match. Where the error tells input and output apart and adds them up against the window, the
 * input is the actual figure and what the output leaves of the window its limit; nothing can be said where the
 * output alone fills the window.
 */
export function readTokens(groups: Record<string, string | undefined>): FoundTokens {
	const { window } = groups;
	if (window === undefined) return { actual: readNumber(groups.actual), limit: readNumber(groups.limit) };
	const output = readNumber(groups.output) ?? 0;
	const room = (readNumber(window) ?? 0) - output;
	return { actual: readNumber(groups.input), limit: room > 0 ? room : undefined, output, isApart: true };
}

const completionPattern = new RegExp(
	`(${numberSource}) (?:tokens )?(?:in|for) (?:the |your )?(?:completion|output)`,
	'i',
);

/** Of a stated total, what the request reserved for the answer: "(497 in the messages, 4000 in the completion)". */
export function readReserved(text: string): number | undefined {
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

/** Figures below this are statuses, indices or counts of messages, not of a request's tokens. */
const leastContextTokens = 600;

function figures(text: string, pattern: RegExp): number[] {
	return [...text.matchAll(pattern)]
		.map((match) => readNumber(match[1] ?? match[2] ?? match[0]))
		.filter((value): value is number => value !== undefined && value >= leastContextTokens);
}

/**
 * An overflow in words that no form knows, or undefined: only where the text speaks of an input in tokens that
 * is too much, and gives a figure beyond the limit it names, or beyond the window that is known (tokens).
 */
export function unknownWording(text: string, contextWindow: number | undefined): FoundTokens | undefined {
	const short = text.slice(0, 4_000);
	if (
		!subjectPattern.test(short) ||
		!/tokens?\b/i.test(short) ||
		!excessPattern.test(short) ||
		outputLimitPattern.test(short)
	) {
		return undefined;
	}
	const limits = figures(short, limitPattern);
	const limit = limits.length > 0 ? Math.min(...limits) : contextWindow;
	if (limit === undefined) return undefined;
	const actual = Math.max(...figures(short, limits.length > 0 ? figurePattern : tokenFigurePattern));
	return actual > limit && Number.isFinite(actual) ? { actual, limit } : undefined;
}
