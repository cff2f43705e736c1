/** The client as one of those who may be asked, where it offers that: it asks its user's own model. */

import * as z from 'zod';
import { CallFailure } from '../core/ask/callFailure.ts';
import { contextSummarize } from '../protocol/push.ts';
import type { AskModel } from '../session/ports.ts';
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

/** Asks the client, whatever else its link says. */
export function clientModel(client: ClientConnection): AskModel {
	return async (_link, question, signal) => {
		const answer = await askForSummary(client, question, signal);
		if (answer.problem === undefined) return answer.value;
		throw new CallFailure(`${contextSummarize.method}: ${answer.problem}`, { retryable: false });
	};
}
