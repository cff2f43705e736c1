/** Requests to clients that support them: to ask the client's own model, and to confirm an automatic compaction. */

import * as z from 'zod/mini';
import { CallFailure } from '../core/ask/callFailure.ts';
import { contextConfirmCompaction, contextSummarize } from '../protocol/push.ts';
import type { AskToCompact } from '../session/compaction/confirm.ts';
import type { AskModel } from '../session/ports.ts';
import type { ConnectedClient } from './call/client.ts';
import { requestClient } from './call/define.ts';
import { objectSchema } from './call/object.ts';

const askForSummary = requestClient(
	contextSummarize,
	objectSchema({
		text: z.string(),
		stopReason: z.string(),
		model: z.optional(z.string()),
		usage: z.catch(z.optional(objectSchema({ input: z.number(), output: z.number() })), undefined),
	}),
);

/** Returns a function that asks the client's own model, and ignores the link of the chain that it gets. */
export function createClientModel(client: ConnectedClient): AskModel {
	return async (_link, question, signal) => {
		const answer = await askForSummary(client, question, signal);
		if (answer.problem === undefined) return answer.value;
		throw new CallFailure(`${contextSummarize.method}: ${answer.problem}`, { retryable: false });
	};
}

const askToCompact = requestClient(
	contextConfirmCompaction,
	objectSchema({
		proceed: z.optional(z.boolean()),
		reason: z.optional(z.string()),
		instructions: z.optional(z.string()),
	}),
);

/** Returns a function that asks the client whether to compact. It rejects if the answer is invalid. */
export function createCompactionConfirmation(client: ConnectedClient): AskToCompact {
	return async (question, signal) => {
		const answer = await askToCompact(client, question, signal);
		if (answer.problem !== undefined) throw new Error(answer.problem);
		return answer.value;
	};
}
