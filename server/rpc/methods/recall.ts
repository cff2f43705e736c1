import * as z from 'zod/mini';
import { Failure } from '../../core/failure.ts';
import { createLocationKey } from '../../core/files/folder.ts';
import { contextRecall, type RecallParams, type RecallResult } from '../../protocol/history.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import { recallSessionMessages } from '../../session/recall.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import { noRecorder, type RecorderPort } from './recorder.ts';
import * as shapes from './shapes.ts';

const recallParams = objectSchema({
	sessionId: z.optional(shapes.sessionIdSchema),
	query: z.string().check(z.minLength(1)),
	limit: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
	scope: z.optional(z.enum(['session', 'workspace'])),
	workspace: shapes.textSchema,
	agent: shapes.textSchema,
	since: z.optional(z.number()),
	maxExcerpt: z.optional(z.int().check(z.minimum(100), z.maximum(4000))),
});

/** Returns the method that searches one session, or all recorded ones. */
export function createRecallMethod(
	store: SessionStore,
	client: ClientContext,
	recorder: RecorderPort = noRecorder,
): RequestMethod {
	return onRequest(contextRecall, recallParams, async (request, { signal }) => {
		const { sessionId, scope, workspace, ...search } = request;
		if (sessionId === undefined) {
			if (scope !== undefined) throw new Failure('InvalidParams', 'scope: expected a sessionId with it');
			return searchRecorded(recorder, search, workspace);
		}
		if (scope !== 'workspace') {
			const { query, limit } = search;
			return store.run(sessionId, client, (session) =>
				recallSessionMessages(session, { query, limit }, signal),
			);
		}
		const folder = await store.run(sessionId, client, async ({ state }) => state.info.workspace);
		if (folder === undefined) {
			throw new Failure('InvalidParams', `scope: session "${sessionId}" has no workspace`, {
				field: 'scope',
			});
		}
		return searchRecorded(recorder, search, folder);
	});
}

function searchRecorded(
	recorder: RecorderPort,
	search: Omit<RecallParams, 'sessionId' | 'scope' | 'workspace'>,
	workspace: string | undefined,
): Promise<RecallResult> {
	if (workspace === undefined) return recorder.ask('recall', search);
	shapes.parseWorkspace(workspace);
	return recorder.ask('recall', { ...search, folder: createLocationKey(workspace) });
}
