import * as z from 'zod';
import type { Rendered } from '../../core/format/wire/adapter.ts';
import * as protocol from '../../protocol/history.ts';
import { fullHistory } from '../../session/fullHistory.ts';
import { renderHistory } from '../../session/history.ts';
import { originalOf } from '../../session/original.ts';
import { statsOf } from '../../session/stats.ts';
import { checkpoint, checkpointsOf, pin, rollback } from '../../session/steps.ts';
import type { SessionStore } from '../../session/store.ts';
import { answers } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import * as shapes from './shapes.ts';

const history = shapes.session.extend({ format: shapes.format, includeHidden: z.boolean().nullish() });

const pins = shapes.session.extend({
	messageIds: z.array(z.string()).nullish(),
	uris: z.array(z.string()).nullish(),
	pinned: z.boolean(),
});

const original = shapes.session.extend({
	messageId: z.string(),
	offset: z.number().int().nonnegative().nullish(),
	limit: z.number().int().nonnegative().nullish(),
	search: z.string().nullish(),
});

/** The methods around the history itself. */
export function historyMethods(store: SessionStore): RequestMethod[] {
	return [
		answers(protocol.contextHistory, history, ({ sessionId, includeHidden, ...params }) => {
			const format = shapes.formatOf(params.format);
			return store.run(sessionId, async (session) => {
				const { version } = session.state;
				const { messages, system, warnings }: Rendered = includeHidden
					? await fullHistory(session)
					: await renderHistory(session, format);
				return {
					messages,
					...(system !== undefined && { system }),
					version,
					...(warnings.length > 0 && { warnings }),
				};
			});
		}),
		answers(protocol.contextCheckpoint, shapes.session.extend({ label: z.string().nullish() }), (params) =>
			store.run(params.sessionId, async (session) => ({
				checkpointId: await checkpoint(session, params.label),
			})),
		),
		answers(protocol.contextCheckpoints, shapes.session, ({ sessionId }) =>
			store.run(sessionId, (session) => ({ checkpoints: checkpointsOf(session.state) })),
		),
		answers(protocol.contextRollback, shapes.session.extend({ checkpointId: z.string() }), (params) =>
			store.run(params.sessionId, async (session) => {
				const discarded = await rollback(session, params.checkpointId);
				return { stats: await statsOf(session), discarded };
			}),
		),
		answers(protocol.contextPin, pins, ({ sessionId, ...asked }) =>
			store.run(sessionId, async (session) => ({
				pinned: await pin(session, asked),
			})),
		),
		answers(protocol.contextOriginal, original, ({ sessionId, ...order }) =>
			store.run(sessionId, (session) => originalOf(session, order)),
		),
	];
}
