/** How long a request may wait for the daemon. */

/** Milliseconds: for a request that needs no decision, and for one that does. */
export const deadlines = { replay: 300, decision: 5000 } as const;

/** Share of the limit from which on a decision may be due at the next request; contextd decides from 80% on. */
const near = 0.7;
/** UTF-16 units of JSON a token, low enough to be on the safe side. */
const unitsPerToken = 3;

/** What is known before the daemon is asked. */
export interface Expectation {
	/** Share of the limit in use at the request before; absent where that is not known. */
	ratio?: number;
	/** The daemon did not answer the request before. */
	wasSilent: boolean;
	/** UTF-16 units of what is new since, or of all where nothing is known. */
	units: number;
	/** Tokens of the window; absent where the host did not say. */
	contextWindow?: number;
}

/** Milliseconds that a request waits: long only where a decision may be due, and the daemon has not kept another waiting. */
export function patienceFor({ ratio = 0, wasSilent, units, contextWindow }: Expectation): number {
	if (wasSilent) return deadlines.replay;
	const share = contextWindow ? units / unitsPerToken / contextWindow : 0;
	return ratio + share >= near ? deadlines.decision : deadlines.replay;
}
