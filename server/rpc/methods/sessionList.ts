import * as z from 'zod/mini';
import { sessionList } from '../../protocol/session.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { onRequest } from '../call/define.ts';
import type { RequestMethod } from '../call/method.ts';
import { objectSchema } from '../call/object.ts';
import * as shapes from './shapes.ts';

const list = objectSchema({ workspace: shapes.textSchema, sessionId: z.optional(shapes.sessionIdSchema) });

/** The method `session/list`. */
export function sessionListMethod(store: SessionStore): RequestMethod {
	return onRequest(sessionList, list, async (params) => ({ sessions: await store.list(params) }));
}
