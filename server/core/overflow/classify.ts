import type { ErrorClass } from '../../protocol/overflow.ts';
import { collectEvidence, type Evidence } from './evidence.ts';
import {
	codeInTextPattern,
	type OverflowForm,
	overflowCodes,
	overflowExclusions,
	overflowForms,
	providerHints,
	rateLimitPatterns,
} from './patterns.ts';
import {
	compileForm,
	detectUnknownWording,
	type OverflowTokens,
	parseOverflowTokens,
	readOutputReserve,
} from './tokens.ts';

interface OverflowFinding {
	provider: string | null;
	tokens: OverflowTokens;
}

const allForms: readonly (OverflowForm & { pattern: RegExp })[] = overflowForms.map((form) => ({
	...form,
	pattern: compileForm(form.form),
}));

const certainForms = allForms.filter((form) => form.isCertain);

function mentionsRateLimit(evidence: readonly Evidence[]): boolean {
	return evidence.some(
		({ status, text }) => status === 429 || rateLimitPatterns.some((pattern) => pattern.test(text)),
	);
}

function findByForm(evidence: readonly Evidence[], forms: typeof allForms): OverflowFinding | undefined {
	for (const form of forms) {
		for (const item of evidence) {
			const match = form.pattern.exec(item.text);
			if (!match) continue;
			const tokens = parseOverflowTokens(match.groups ?? {});
			// If the requested output alone fills the window, compacting the history does not help.
			if (tokens.output !== undefined && tokens.limit === undefined) return undefined;
			return { provider: form.provider, tokens: { output: readOutputReserve(item.text), ...tokens } };
		}
	}
	return undefined;
}

function readNumberFields(evidence: readonly Evidence[]): OverflowTokens {
	const prompt = evidence.find((item) => item.numbers.n_prompt_tokens)?.numbers.n_prompt_tokens;
	const window = evidence.find((item) => item.numbers.n_ctx)?.numbers.n_ctx;
	return { actual: prompt, limit: window };
}

function findByCode(evidence: readonly Evidence[]): OverflowFinding | undefined {
	const codes = evidence.flatMap((item) => item.codes);
	const codesInText = evidence.map((item) => codeInTextPattern.exec(item.text)?.[1]?.toLowerCase());
	const code = [...codes, ...codesInText].find((name) => name !== undefined && overflowCodes.has(name));
	return code === undefined ? undefined : { provider: overflowCodes.get(code) ?? null, tokens: {} };
}

const noBodyPattern = /^\W{0,3}(?:error:? )?4(?:00|13)(?: status code)? \(no body\)/im;

function findByStatus(evidence: readonly Evidence[]): OverflowFinding | undefined {
	if (evidence.some((item) => noBodyPattern.test(item.text))) return { provider: 'cerebras', tokens: {} };
	return evidence.some((item) => item.status === 413) ? { provider: null, tokens: {} } : undefined;
}

function findByWording(evidence: readonly Evidence[], contextWindow?: number): OverflowFinding | undefined {
	for (const item of evidence) {
		const tokens = detectUnknownWording(item.text, contextWindow);
		if (tokens) return { provider: null, tokens };
	}
	return undefined;
}

function findOverflow(evidence: readonly Evidence[], contextWindow?: number): OverflowFinding | undefined {
	const relevantEvidence = evidence.filter(({ text }) => !overflowExclusions.some((one) => one.test(text)));
	const trustsLooseForms = !mentionsRateLimit(evidence);
	const forms = allForms.filter((form) => trustsLooseForms || !form.isLoose);
	const finding =
		findByForm(evidence, certainForms) ?? findByForm(relevantEvidence, forms) ?? findByCode(evidence);
	if (finding) return finding;
	if (relevantEvidence.length < evidence.length || !trustsLooseForms) return undefined;
	return findByStatus(evidence) ?? findByWording(relevantEvidence, contextWindow);
}

function findProvider(evidence: readonly Evidence[], provider: string | null | undefined): string | null {
	const statedProvider = evidence.find((item) => item.provider !== undefined)?.provider;
	if (statedProvider) return statedProvider.toLowerCase();
	if (provider) return provider;
	const hint = providerHints.find(([wording]) => evidence.some((item) => wording.test(item.text)));
	return hint?.[1] ?? null;
}

/**
 * Decides whether a provider's error means that the request exceeded the model's window, and extracts the numbers of
 * tokens. Accepts strings, HTTP bodies, error objects and anything that wraps them. Work is bounded for any input,
 * including cycles. An error of unknown wording is an overflow only if it names a number of tokens beyond the limit
 * that it states, or beyond the model's window.
 *
 * If an error compares the sum of input and output with the window ("188240 + 21333 > 200000"), the actual tokens are
 * the input, and the limit is the window minus the output. If the output alone fills the window, the error is not an
 * overflow. If an error states one total, the actual tokens are the total, and the limit is the whole window.
 *
 * @param contextWindow the model's window in tokens, if known
 */
export function classifyError(error: unknown, contextWindow?: number): ErrorClass {
	const evidence = collectEvidence(error);
	const finding = findOverflow(evidence, contextWindow);
	const provider = findProvider(evidence, finding?.provider);
	if (!finding) return { isContextOverflow: false, provider, retryable: isRetryable(evidence) };
	const numberFields = readNumberFields(evidence);
	const actual = finding.tokens.actual ?? numberFields.actual;
	const limit = finding.tokens.limit ?? numberFields.limit;
	return {
		isContextOverflow: true,
		provider,
		retryable: false,
		...(actual !== undefined && { actualTokens: actual }),
		...(limit !== undefined && { limitTokens: limit }),
		...(finding.tokens.output && { outputTokens: finding.tokens.output }),
		...toPromptAndWindow(actual, limit, finding.tokens),
	};
}

/** Returns the tokens of the prompt without output, and of the whole window; each only if known. */
function toPromptAndWindow(
	actual: number | undefined,
	limit: number | undefined,
	{ output = 0, excludesOutput }: OverflowTokens,
): Pick<ErrorClass, 'promptTokens' | 'windowTokens'> {
	const prompt = actual === undefined || excludesOutput ? actual : actual - output;
	const window = limit !== undefined && excludesOutput ? limit + output : limit;
	return {
		...(prompt !== undefined && prompt > 0 && { promptTokens: prompt }),
		...(window !== undefined && { windowTokens: window }),
	};
}

/** Whether an overflow is about the bytes of the request, for example of images, and not about the window. */
export function isAboutBytes(error: unknown): boolean {
	return collectEvidence(error).some(
		(item) => item.status === 413 || /\bbytes\b|payload|request_too_large/i.test(item.text),
	);
}

const transientStatuses = new Set([408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);

const transientErrorPattern =
	/overloaded|service unavailable|server_error|internal server error|bad gateway|gateway time|timed? ?out|throttl|rate[ _-]?limit|too many requests|RESOURCE_EXHAUSTED|fetch failed|socket hang up|network error|\bE(?:CONNRESET|TIMEDOUT|PIPE|AI_AGAIN|CONNREFUSED)\b|UND_ERR_/i;

const accountErrorPattern =
	/insufficient_quota|billing_error|can only afford|payment required|credit balance/i;

/** Matches "Limit 30000, Requested 38000": a single request that exceeds a rate limit always fails. */
const rateFigurePattern = /limit:? (\d[\d,]{0,14})\D{0,40}requested:? (\d[\d,]{0,14})/i;

function exceedsRate(text: string): boolean {
	const match = rateFigurePattern.exec(text);
	if (!match) return false;
	const [limit, requested] = [match[1]!, match[2]!].map((figure) => Number(figure.replaceAll(',', '')));
	return requested! > limit!;
}

/**
 * Whether the same request may succeed later. True for rate limits, overload, and failures of server or network. False
 * for bad requests, accounts without funds, single requests beyond the rate limit, errors that a library marks as final,
 * and unknown errors.
 */
function isRetryable(evidence: readonly Evidence[]): boolean {
	const matchesAny = (pattern: RegExp) => evidence.some((item) => pattern.test(item.text));
	if (evidence.some((item) => item.isFinal)) return false;
	if (matchesAny(accountErrorPattern) || evidence.some((item) => exceedsRate(item.text))) return false;
	const statuses = evidence.map((item) => item.status).filter((status) => status !== undefined);
	if (statuses.some((status) => transientStatuses.has(status))) return true;
	const isRefused = statuses.some(
		(status) => status === 400 || status === 401 || status === 403 || status === 404,
	);
	return !isRefused && matchesAny(transientErrorPattern);
}
