/** The client as summarizer, where it offers that: it asks the user's own model. */

import type { InitializeParams } from 'vscode-languageserver-protocol';
import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import type { SummarizeResult } from '../protocol/push.ts';
import { contextSummarize } from '../protocol/push.ts';
import type { Summarizer } from '../session/ports.ts';
import type { ClientConnection } from './call/client.ts';
import { paramsProblem } from './call/params.ts';

const answer = z.object({ text: z.string(), stopReason: z.string(), model: z.string().nullish() });

/** A model may think for a while; a client that never answers must not hold a session. Milliseconds. */
const patience = 120_000;

/** Whether the client announced that it can summarize. */
export function offersSummaries(params: InitializeParams): boolean {
	const { experimental } = params.capabilities as { experimental?: { contextd?: { summarize?: unknown } } };
	return experimental?.contextd?.summarize === true;
}

export function clientSummarizer(client: ClientConnection): Summarizer {
	return {
		name: 'client',
		timeoutMs: patience,
		async ask(request, signal) {
			const given = await client.request<SummarizeResult>(contextSummarize.method, request, signal);
			const problem = paramsProblem(answer, given, 'result');
			if (problem !== undefined)
				throw new Failure('SummarizerFailed', `${contextSummarize.method}: ${problem}`);
			return given;
		},
	};
}
