/** A client that offers its user's model. */

import type { SummarizeResult } from '../../server/protocol/push.ts';
import type { ClientContext } from '../../server/session/clientContext.ts';
import type { ModelQuestion } from '../../server/session/ports.ts';

type Answer = (question: ModelQuestion) => Promise<Partial<SummarizeResult>>;

/** Returns the members of a client that offers a model called `model` with these answers. */
export function offering(answer: Answer): Pick<ClientContext, 'askModel' | 'hasModel'> {
	return {
		hasModel: () => true,
		askModel: async (_link, question) => ({
			text: '',
			stopReason: 'stop',
			model: 'model',
			...(await answer(question)),
		}),
	};
}
