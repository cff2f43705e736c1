import * as z from 'zod/mini';
import { removeUsage } from '../../core/cost/spent.ts';
import { listUncutMessageIds } from '../../core/history/undo.ts';
import type { AgentSettings } from '../../core/transcript/index.ts';
import * as protocol from '../../protocol/session.ts';
import { appendMessages, recordLateUsage } from '../../session/append.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { readStats, readStatsBeforeRequest } from '../../session/stats.ts';
import { rewindSession } from '../../session/steps.ts';
import { forkSession } from '../../session/store/fork.ts';
import { inheritView, storeView } from '../../session/store/inheritView.ts';
import { openSession, updateSession } from '../../session/store/sessions.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { createSessionDefiner, onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const shareSchema = z.optional(z.number().check(z.minimum(0), z.maximum(1)));

const changeSchemas = {
	provider: shapes.textSchema,
	model: shapes.textSchema,
	title: shapes.textSchema,
	contextWindow: z.optional(z.int().check(z.positive())),
	maxOutputTokens: z.optional(z.int().check(z.positive())),
	threshold: shareSchema,
	targetRatio: shareSchema,
};

const openParams = objectSchema({
	sessionId: z.optional(shapes.sessionIdSchema),
	workspace: shapes.textSchema,
	readOnly: shapes.flagSchema,
	...changeSchemas,
});

const appendParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	messages: z.array(z.unknown()),
	format: shapes.formatSchema,
	revision: z.optional(shapes.tokensSchema),
	stats: shapes.flagSchema,
});

const updateParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	request: shapes.modelRequestSchema,
	...changeSchemas,
});

const reportParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	messageId: z.string(),
	usage: shapes.usageSchema,
	stopReason: shapes.textSchema,
	revision: z.optional(shapes.tokensSchema),
});

const holdParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	view: z.custom<unknown>((value) => value !== undefined, { message: 'any JSON value, or null' }),
	behind: z.optional(objectSchema({ checksum: z.string(), units: z.int().check(z.nonnegative()) })),
	marks: z.optional(z.array(z.string().check(z.maxLength(64))).check(z.maxLength(64))),
});

const inheritParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	marks: z.array(z.string().check(z.maxLength(64))).check(z.maxLength(10_000)),
});

const forkParams = objectSchema({
	sessionId: shapes.sessionIdSchema,
	messageId: shapes.textSchema,
	newSessionId: z.optional(shapes.sessionIdSchema),
});

const rewindParams = objectSchema({ sessionId: shapes.sessionIdSchema, messageId: z.string() });

/** The client's folders and the agents' settings in them. */
export interface ClientFolders {
	/** Returns the first workspace folder, if there is one. */
	getWorkspace(): string | undefined;
	/** Returns an agent's own settings for its context, including those for its working folder. */
	readAgentSettings(agent: string, folder: string | undefined): AgentSettings;
}

/** Returns the methods under `session/`, except `session/list` and `session/newest`. */
export function createSessionMethods(
	store: SessionStore,
	client: ClientContext,
	folders: ClientFolders,
): RequestMethod[] {
	const onSession = createSessionDefiner(store, client);
	return [
		onRequest(protocol.sessionOpen, openParams, (params) =>
			openSession(store, client, {
				...params,
				defaultWorkspace: folders.getWorkspace(),
				readAgentSettings: folders.readAgentSettings,
			}),
		),
		onSession(protocol.sessionAppend, appendParams, async (session, params, context, lane) => {
			const { messages, format = 'contextd', revision, stats: wantsStats } = params;
			const isStale = revision !== undefined && revision !== session.state.revision;
			const acceptedMessages = isStale ? messages.map(removeUsage) : messages;
			const appendResult = await appendMessages(session, acceptedMessages, format, {
				client,
				lane,
				get signal() {
					return context.signal;
				},
			});
			if (!wantsStats) return appendResult;
			return { ...appendResult, stats: await readStatsBeforeRequest(session, client) };
		}),
		onSession(protocol.sessionReportUsage, reportParams, async (session, params) => {
			await recordLateUsage(session, client, params);
			return { stats: await readStats(session, client) };
		}),
		onSession(protocol.sessionMessageIds, shapes.sessionSchema, ({ state }) => ({
			messageIds: listUncutMessageIds(state),
			revision: state.revision,
		})),
		onSession(protocol.sessionHoldView, holdParams, storeView),
		onSession(protocol.sessionInheritView, inheritParams, (session, params, _, lane) => {
			lane.hold();
			return inheritView(session, params);
		}),
		onRequest(protocol.sessionFork, forkParams, (params, { signal }) =>
			forkSession(store, client, params, signal),
		),
		onSession(protocol.sessionRewind, rewindParams, async (session, { messageId }) => {
			const hidden = await rewindSession(session, messageId);
			return { hidden, stats: await readStats(session, client) };
		}),
		onRequest(protocol.sessionUpdate, updateParams, (params) => updateSession(store, client, params)),
		onRequest(protocol.sessionClose, shapes.sessionSchema, async ({ sessionId }) => {
			await store.close(sessionId, client);
			return {};
		}),
		onRequest(protocol.sessionDelete, shapes.sessionSchema, async ({ sessionId }) => {
			await store.delete(sessionId);
			await store.services.heldViews?.remove(sessionId);
			return {};
		}),
	];
}
