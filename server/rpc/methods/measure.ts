import * as z from 'zod/mini';
import { Failure } from '../../core/failure.ts';
import { contextCount, contextTruncateToTokenBudget } from '../../protocol/measuring.ts';
import { contextSources } from '../../protocol/sources.ts';
import * as protocol from '../../protocol/stats.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { needsCompaction } from '../../session/contextUsage.ts';
import { countWithoutSession, cutToBudget, neutralMessages } from '../../session/count.ts';
import { sourcesOf } from '../../session/sources/sources.ts';
import { statsOf } from '../../session/stats.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { timelineOf } from '../../session/timeline.ts';
import { onRequest } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const stats = objectSchema({ sessionId: shapes.sessionIdSchema, ...shapes.overlaySchemas });

const needs = objectSchema({
	sessionId: shapes.sessionIdSchema,
	provider: shapes.textSchema,
	model: shapes.textSchema,
	threshold: z.optional(z.number().check(z.minimum(0), z.maximum(1))),
});

const truncate = objectSchema({
	text: z.string(),
	tokens: shapes.tokensSchema,
	provider: shapes.textSchema,
	model: shapes.textSchema,
	estimator: shapes.overlaySchemas.estimator,
});

const count = objectSchema({
	text: shapes.textSchema,
	isCode: shapes.flagSchema,
	messages: z.optional(
		z.pipe(
			z.array(z.unknown()),
			z.transform((given: unknown[]) => neutralMessages(given)),
		),
	),
	...shapes.overlaySchemas,
});

/** The methods that measure and count. */
export function measureMethods(store: SessionStore, client: ClientContext): RequestMethod[] {
	return [
		onRequest(protocol.contextStats, stats, ({ sessionId, ...over }) =>
			store.run(sessionId, client, (session) => statsOf(session, client, over)),
		),
		onRequest(contextCount, count, (params) => countWithoutSession(store.world, client, params)),
		onRequest(protocol.contextNeedsCompaction, needs, async ({ sessionId, ...asked }) => {
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
		onRequest(contextTruncateToTokenBudget, truncate, (params) => cutToBudget(store.world, client, params)),
		onRequest(protocol.contextTimeline, shapes.sessionSchema, ({ sessionId }) =>
			store.run(sessionId, client, (session) => timelineOf(session, client)),
		),
		onRequest(contextSources, shapes.sessionSchema, ({ sessionId }) =>
			store.run(sessionId, client, (session) => sourcesOf(session, client)),
		),
	];
}
