/** A client that offers its user's model. */

import type { SummarizeResult } from '../../server/protocol/push.ts';
import type { ModelQuestion } from '../../server/session/ports.ts';
import type { World } from '../../server/session/world.ts';

type Answer = (question: ModelQuestion) => Promise<Partial<SummarizeResult>>;

/** The part of a world in which a model of the client, `model` by name, answers so. */
export function offering(answer: Answer): Pick<World, 'askModel' | 'clientOffersModel'> {
	return {
		clientOffersModel: () => true,
		askModel: async (_link, question) => ({
			text: '',
			stopReason: 'stop',
			model: 'model',
			...(await answer(question)),
		}),
	};
}
