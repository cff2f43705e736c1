import * as z from 'zod/mini';
import { sessionList } from '../../protocol/session.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { onRequest, type RequestMethod } from '../call/define.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const schema = objectSchema({ workspace: shapes.textSchema, sessionId: z.optional(shapes.sessionIdSchema) });

export function createSessionListMethod(store: SessionStore): RequestMethod {
	return onRequest(sessionList, schema, async (params) => ({ sessions: await store.list(params) }));
}
