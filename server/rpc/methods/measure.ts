import * as z from 'zod';
import { usageRatio } from '../../core/models/budget.ts';
import * as protocol from '../../protocol/stats.ts';
import { countLoose } from '../../session/count.ts';
import { compactionLog, standingOf, statsOf } from '../../session/stats.ts';
import type { SessionStore } from '../../session/store.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import * as shapes from './shapes.ts';

const overlay = {
	provider: z.string().nullish(),
	model: z.string().nullish(),
	request: shapes.modelRequest,
	estimator: shapes.estimator,
};

const stats = z.object({ sessionId: shapes.sessionId, ...overlay });

const count = z.object({ text: z.string().nullish(), messages: z.array(z.unknown()).nullish(), ...overlay });

/** The methods that measure. */
export function measureMethods(store: SessionStore): RequestMethod[] {
	return [
		answers(protocol.contextStats, stats, ({ sessionId, ...over }) =>
			store.run(sessionId, (session) => statsOf(session, over)),
		),
		answers(protocol.contextCount, count, (params) => countLoose(store.world, params)),
		answers(protocol.contextTimeline, shapes.session, ({ sessionId }) =>
			store.run(sessionId, async (session) => {
				const { budget } = await standingOf(session);
				return {
					points: session.state.points.map((point) => ({
						...point,
						usageRatio: usageRatio(point.tokens, budget.available),
					})),
					compactions: compactionLog(session.state),
				};
			}),
		),
	];
}
