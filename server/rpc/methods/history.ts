import * as z from 'zod/mini';
import type { RenderResult } from '../../core/format/wire/adapter.ts';
import * as protocol from '../../protocol/history.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { renderFullHistory, renderHistory } from '../../session/history.ts';
import { readOriginalMessage } from '../../session/original.ts';
import { readStats } from '../../session/stats.ts';
import { createCheckpoint, listCheckpoints, rollbackSession, setPins } from '../../session/steps.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { createSessionDefiner, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const historyParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	format: shapes.formatSchema,
	includeHidden: shapes.flagSchema,
	messageIds: shapes.textsSchema,
});

const checkpointParams = objectSchema({ sessionId: shapes.sessionIdSchema, label: shapes.textSchema });

const rollbackParams = objectSchema({ sessionId: shapes.sessionIdSchema, checkpointId: z.string() });

const pinsParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	messageIds: shapes.textsSchema,
	uris: shapes.textsSchema,
	pinned: z.boolean(),
});

const unitsSchema = z.optional(z.int().check(z.nonnegative()));

const originalParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	messageId: z.string(),
	offset: unitsSchema,
	limit: unitsSchema,
	search: shapes.textSchema,
});

/** Returns the methods that read, pin and roll back a session's history. */
export function createHistoryMethods(store: SessionStore, client: ClientContext): RequestMethod[] {
	const onSession = createSessionDefiner(store, client);
	return [
		onSession(protocol.contextHistory, historyParams, async (session, params) => {
			const { includeHidden, format, messageIds } = params;
			const { version } = session.state;
			const { messages, system, warnings }: RenderResult = includeHidden
				? await renderFullHistory(session, messageIds)
				: await renderHistory(session, format, { messageIds });
			return { messages, system, version, ...(warnings.length > 0 && { warnings }) };
		}),
		onSession(protocol.contextCheckpoint, checkpointParams, async (session, { label }) => ({
			checkpointId: await createCheckpoint(session, client, label),
		})),
		onSession(protocol.contextCheckpoints, shapes.sessionSchema, ({ state }) => ({
			checkpoints: listCheckpoints(state),
		})),
		onSession(protocol.contextRollback, rollbackParams, async (session, { checkpointId }) => {
			const discarded = await rollbackSession(session, checkpointId);
			return { stats: await readStats(session, client), discarded };
		}),
		onSession(protocol.contextPin, pinsParams, async (session, params) => ({
			pinned: await setPins(session, params),
		})),
		onSession(protocol.contextOriginal, originalParams, readOriginalMessage),
	];
}
