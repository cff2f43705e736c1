/** The client as summarizer, where it offers that: it asks the user's own model. */

import * as z from 'zod';
import { Failure } from '../core/failure.ts';
import { contextSummarize } from '../protocol/push.ts';
import type { Summarizer } from '../session/ports.ts';
import type { ClientConnection } from './call/client.ts';
import { asks } from './call/define.ts';
import { object } from './call/object.ts';

const askForSummary = asks(
	contextSummarize,
	object({
		text: z.string(),
		stopReason: z.string(),
		model: z.string().optional(),
		usage: object({ input: z.number(), output: z.number() }).optional().catch(undefined),
	}),
);

/** A model may think for a while; a client that never answers must not hold a session. Milliseconds. */
const patience = 120_000;

export function clientSummarizer(client: ClientConnection): Summarizer {
	return {
		name: 'client',
		timeoutMs: patience,
		async ask(request, signal) {
			const answer = await askForSummary(client, request, signal);
			if (answer.problem === undefined) return answer.value;
			throw new Failure('SummarizerFailed', `${contextSummarize.method}: ${answer.problem}`);
		},
	};
}
