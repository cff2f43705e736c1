import type { ErrorClass } from '../../protocol/overflow.ts';
import { type Evidence, evidenceOf } from './evidence.ts';
import {
	codeInText,
	exclusions,
	type OverflowForm,
	overflowCodes,
	overflowForms,
	providerHints,
} from './patterns.ts';
import { compileForm, type FoundTokens, readReserved, readTokens, unknownWording } from './tokens.ts';

/** What the caller knows beside the error. */
export interface ErrorContext {
	/** Tokens of the model's window: lets a figure beyond it speak in words that nobody foresaw. */
	contextWindow?: number;
}

interface Finding {
	provider: string | null;
	tokens: FoundTokens;
}

const allForms: readonly (OverflowForm & { pattern: RegExp })[] = overflowForms.map((form) => ({
	...form,
	pattern: compileForm(form.form),
}));

const certainForms = allForms.filter((form) => form.isCertain);

function isExcluded(part: Evidence): boolean {
	return exclusions.some((exclusion) => exclusion.pattern.test(part.text));
}

function speaksOfRate(evidence: readonly Evidence[]): boolean {
	const rates = exclusions.filter((exclusion) => exclusion.why === 'rate');
	return evidence.some(
		(part) => part.status === 429 || rates.some((exclusion) => exclusion.pattern.test(part.text)),
	);
}

function byForm(parts: readonly Evidence[], forms: typeof allForms): Finding | undefined {
	for (const form of forms) {
		for (const part of parts) {
			const match = form.pattern.exec(part.text);
			if (!match) continue;
			const tokens = readTokens(match.groups ?? {});
			// The output alone fills the window: a request to correct, which no compaction helps.
			if (tokens.output !== undefined && tokens.limit === undefined) return undefined;
			return { provider: form.provider, tokens: { output: readReserved(part.text), ...tokens } };
		}
	}
	return undefined;
}

function byNumbers(evidence: readonly Evidence[]): FoundTokens {
	const prompt = evidence.find((part) => part.numbers.n_prompt_tokens)?.numbers.n_prompt_tokens;
	const window = evidence.find((part) => part.numbers.n_ctx)?.numbers.n_ctx;
	return { actual: prompt, limit: window };
}

function byCode(evidence: readonly Evidence[]): Finding | undefined {
	const codes = evidence.flatMap((part) => part.codes);
	const inText = evidence.map((part) => codeInText.exec(part.text)?.[1]?.toLowerCase());
	const code = [...codes, ...inText].find((name) => name !== undefined && overflowCodes.has(name));
	return code === undefined ? undefined : { provider: overflowCodes.get(code) ?? null, tokens: {} };
}

const noBody = /^\W{0,3}(?:error:? )?4(?:00|13)(?: status code)? \(no body\)/im;

function byStatus(evidence: readonly Evidence[]): Finding | undefined {
	if (evidence.some((part) => noBody.test(part.text))) return { provider: 'cerebras', tokens: {} };
	return evidence.some((part) => part.status === 413) ? { provider: null, tokens: {} } : undefined;
}

function byWording(parts: readonly Evidence[], context: ErrorContext): Finding | undefined {
	for (const part of parts) {
		const tokens = unknownWording(part.text, context.contextWindow);
		if (tokens) return { provider: null, tokens };
	}
	return undefined;
}

function find(evidence: readonly Evidence[], context: ErrorContext): Finding | undefined {
	const parts = evidence.filter((part) => !isExcluded(part));
	const believesLoose = !speaksOfRate(evidence);
	const forms = allForms.filter((form) => believesLoose || !form.isLoose);
	const form = byForm(evidence, certainForms) ?? byForm(parts, forms);
	if (form) return form;
	const code = byCode(evidence);
	if (code) return code;
	if (parts.length < evidence.length || !believesLoose) return undefined;
	return byStatus(evidence) ?? byWording(parts, context);
}

function providerOf(evidence: readonly Evidence[], found: string | null | undefined): string | null {
	const named = evidence.find((part) => part.provider !== undefined)?.provider;
	if (named) return named.toLowerCase();
	if (found) return found;
	const hint = providerHints.find(({ pattern }) => evidence.some((part) => pattern.test(part.text)));
	return hint?.provider ?? null;
}

/**
 * Whether a provider's error says that the request did not fit the model's context window, and what figures it
 * gives. Takes strings, HTTP bodies, error objects and whatever these wrap; bounded work on any input, cycles
 * included. What it does not know is no overflow, unless the error itself names a figure beyond its limit.
 *
 * An error that adds input and output up against the window ("188240 + 21333 > 200000") gives the input as the
 * actual figure and what the output leaves of the window as the limit; where the output alone fills the window
 * it is no overflow. An error that states one total gives that total and the whole window.
 */
export function classifyError(error: unknown, context: ErrorContext = {}): ErrorClass {
	const evidence = evidenceOf(error);
	const found = find(evidence, context);
	const provider = providerOf(evidence, found?.provider);
	if (!found) return { isContextOverflow: false, provider, retryable: mayPassLater(evidence) };
	const counted = byNumbers(evidence);
	const result: ErrorClass = { isContextOverflow: true, provider, retryable: false };
	const actual = found.tokens.actual ?? counted.actual;
	const limit = found.tokens.limit ?? counted.limit;
	if (actual !== undefined) result.actualTokens = actual;
	if (limit !== undefined) result.limitTokens = limit;
	if (found.tokens.output) result.outputTokens = found.tokens.output;
	return { ...result, ...wholeFigures(actual, limit, found.tokens) };
}

/** The prompt alone and the whole window: a total still holds the output, a limit on input has lost it. */
function wholeFigures(
	actual: number | undefined,
	limit: number | undefined,
	{ output = 0, isApart }: FoundTokens,
): Pick<ErrorClass, 'promptTokens' | 'windowTokens'> {
	const prompt = actual === undefined || isApart ? actual : actual - output;
	const window = limit !== undefined && isApart ? limit + output : limit;
	return {
		...(prompt !== undefined && prompt > 0 && { promptTokens: prompt }),
		...(window !== undefined && { windowTokens: window }),
	};
}

/** Whether an overflow is one of the request's bytes, as images fill them, which says nothing of a window. */
export function isAboutBytes(error: unknown): boolean {
	return evidenceOf(error).some(
		(part) => part.status === 413 || /\bbytes\b|payload|request_too_large/i.test(part.text),
	);
}

const transientStatus = new Set([408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);

const transient =
	/overloaded|service unavailable|server_error|internal server error|bad gateway|gateway time|timed? ?out|throttl|rate[ _-]?limit|too many requests|RESOURCE_EXHAUSTED|fetch failed|socket hang up|network error|\bE(?:CONNRESET|TIMEDOUT|PIPE|AI_AGAIN|CONNREFUSED)\b|UND_ERR_/i;

const account = /insufficient_quota|billing_error|can only afford|payment required|credit balance/i;

/** "Limit 30000, Requested 38000": a single request beyond the rate can never pass. */
const rateFigures = /limit:? (\d[\d,]{0,14})\D{0,40}requested:? (\d[\d,]{0,14})/i;

function beyondRate(text: string): boolean {
	const match = rateFigures.exec(text);
	if (!match) return false;
	const [limit, requested] = [match[1]!, match[2]!].map((figure) => Number(figure.replaceAll(',', '')));
	return requested! > limit!;
}

/**
 * Whether the same request may pass later: true of rate limits, overload, server and network failures; false of
 * bad requests, of accounts without means, of a request that alone is beyond the rate, of what its own library marks
 * as not to be tried again, and of the unknown.
 */
function mayPassLater(evidence: readonly Evidence[]): boolean {
	const said = (pattern: RegExp) => evidence.some((part) => pattern.test(part.text));
	if (evidence.some((part) => part.isFinal)) return false;
	if (said(account) || evidence.some((part) => beyondRate(part.text))) return false;
	const statuses = evidence.map((part) => part.status).filter((status) => status !== undefined);
	if (statuses.some((status) => transientStatus.has(status))) return true;
	const isRefused = statuses.some(
		(status) => status === 400 || status === 401 || status === 403 || status === 404,
	);
	return !isRefused && said(transient);
}
