/** Whoever writes summaries for the daemon: the client's own model, say. */

import type { SummaryRequest } from '../../core/compact/model/prompt.ts';

export interface SummarizerAnswer {
	text: string;
	stopReason: string;
	model?: string;
}

export interface Summarizer {
	/** What receipts call it. */
	name: string;
	/** Milliseconds that it is given. */
	timeoutMs: number;
	/** Asks once. Rejects where no answer comes; aborts with the signal. */
	ask(request: SummaryRequest & { sessionId: string }, signal: AbortSignal): Promise<SummarizerAnswer>;
}
