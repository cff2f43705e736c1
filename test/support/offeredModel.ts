/** A client that offers its user's model. */

import type { SummarizeResult } from '../../server/protocol/push.ts';
import type { ClientContext } from '../../server/session/clientContext.ts';
import type { ModelQuestion } from '../../server/session/ports.ts';

type Answer = (question: ModelQuestion) => Promise<Partial<SummarizeResult>>;

/** The part of a world in which a model of the client, `model` by name, answers so. */
export function offering(answer: Answer): Pick<ClientContext, 'askModel' | 'offersModel'> {
	return {
		offersModel: () => true,
		askModel: async (_link, question) => ({
			text: '',
			stopReason: 'stop',
			model: 'model',
			...(await answer(question)),
		}),
	};
}
