import type { Evidence } from './evidence.ts';

const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);

const TRANSIENT =
	/overloaded|service unavailable|server_error|internal server error|bad gateway|gateway time|timed? ?out|throttl|rate[ _-]?limit|too many requests|RESOURCE_EXHAUSTED|fetch failed|socket hang up|network error|\bE(?:CONNRESET|TIMEDOUT|PIPE|AI_AGAIN|CONNREFUSED)\b|UND_ERR_/i;

const ACCOUNT = /insufficient_quota|billing_error|can only afford|payment required|credit balance/i;

/** "Limit 30000, Requested 38000": a single request beyond the rate can never pass. */
const RATE_FIGURES = /limit:? (\d[\d,]{0,14})\D{0,40}requested:? (\d[\d,]{0,14})/i;

function beyondRate(text: string): boolean {
	const match = RATE_FIGURES.exec(text);
	if (!match) return false;
	const [limit, requested] = [match[1]!, match[2]!].map((figure) => Number(figure.replaceAll(',', '')));
	return requested! > limit!;
}

/**
 * Whether the same request may pass later: true of rate limits, overload, server and network failures; false of
 * bad requests, of accounts without means, of a request that alone is beyond the rate, of what its own library marks
 * as not to be tried again, and of the unknown.
 */
export function mayPassLater(evidence: readonly Evidence[]): boolean {
	const said = (pattern: RegExp) => evidence.some((part) => pattern.test(part.text));
	if (evidence.some((part) => part.isFinal)) return false;
	if (said(ACCOUNT) || evidence.some((part) => beyondRate(part.text))) return false;
	const statuses = evidence.map((part) => part.status).filter((status) => status !== undefined);
	if (statuses.some((status) => TRANSIENT_STATUS.has(status))) return true;
	const isRefused = statuses.some(
		(status) => status === 400 || status === 401 || status === 403 || status === 404,
	);
	return !isRefused && said(TRANSIENT);
}
