import * as z from 'zod/mini';
import { Failure } from '../../core/failure.ts';
import { contextCount, contextTruncateToTokenBudget } from '../../protocol/measuring.ts';
import { contextSources } from '../../protocol/sources.ts';
import * as protocol from '../../protocol/stats.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { needsCompaction } from '../../session/contextUsage.ts';
import { countWithoutSession, parseNeutralMessages, truncateForModel } from '../../session/count.ts';
import { listSources } from '../../session/sources/sources.ts';
import { readStats } from '../../session/stats.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { describeTimeline } from '../../session/timeline.ts';
import { createSessionDefiner, onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const statsParams = objectSchema({ sessionId: shapes.sessionIdSchema, ...shapes.overlaySchemas });

const needsParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	provider: shapes.textSchema,
	model: shapes.textSchema,
	threshold: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
});

const truncateParams = objectSchema({
	text: z.string(),
	tokens: shapes.tokensSchema,
	provider: shapes.textSchema,
	model: shapes.textSchema,
	estimator: shapes.overlaySchemas.estimator,
});

const countParams = objectSchema({
	text: shapes.textSchema,
	isCode: shapes.flagSchema,
	messages: z.optional(
		z.pipe(
			z.array(z.unknown()),
			z.transform((rawMessages: unknown[]) => parseNeutralMessages(rawMessages)),
		),
	),
	...shapes.overlaySchemas,
});

/** Returns the methods that measure sessions and count tokens. */
export function createMeasureMethods(store: SessionStore, client: ClientContext): RequestMethod[] {
	const onSession = createSessionDefiner(store, client);
	return [
		onSession(protocol.contextStats, statsParams, (session, overlay) => readStats(session, client, overlay)),
		onRequest(contextCount, countParams, (params) => countWithoutSession(store.services, client, params)),
		onRequest(protocol.contextNeedsCompaction, needsParams, async ({ sessionId, ...asked }) => {
			try {
				const isNeeded = await store.run(sessionId, client, (session) =>
					needsCompaction(session, client, asked),
				);
				return { needsCompaction: isNeeded };
			} catch (error) {
				if (error instanceof Failure && error.kind === 'SessionNotFound') return { needsCompaction: false };
				throw error;
			}
		}),
		onRequest(contextTruncateToTokenBudget, truncateParams, (params) =>
			truncateForModel(store.services, client, params),
		),
		onSession(protocol.contextTimeline, shapes.sessionSchema, (session) => describeTimeline(session, client)),
		onSession(contextSources, shapes.sessionSchema, (session) => listSources(session, client)),
	];
}
