/** The client as the one who is asked before an automatic compaction. */

import * as z from 'zod';
import { contextConfirmCompaction } from '../protocol/push.ts';
import type { AskToCompact } from '../session/compaction/confirm.ts';
import type { ClientConnection } from './call/client.ts';
import { asks } from './call/define.ts';
import { object } from './call/object.ts';

const askToCompact = asks(
	contextConfirmCompaction,
	object({
		proceed: z.boolean().optional(),
		reason: z.string().optional(),
		instructions: z.string().optional(),
	}),
);

/** Asks a client whether to compact. Rejects with what is wrong with its answer. */
export function clientConfirmation(client: ClientConnection): AskToCompact {
	return async (question, signal) => {
		const answer = await askToCompact(client, question, signal);
		if (answer.problem !== undefined) throw new Error(answer.problem);
		return answer.value;
	};
}
