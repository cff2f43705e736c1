import type * as z from 'zod/mini';
import type { RequestSignature, SessionParams } from '../../protocol/declaration.ts';
import type { ClientContext } from '../../session/clientContext.ts';
import type { CallLane } from '../../session/order.ts';
import type { Session } from '../../session/session.ts';
import type { SessionStore } from '../../session/store/store.ts';
import { type CallContext, type MatchesDeclared, onRequest, type RequestMethod } from '../call/define.ts';

/** Returns a function like `onRequest`, for requests on a session. It opens the session and passes it to the handler. */
export function createSessionDefiner(store: SessionStore, client: ClientContext) {
	return <Params extends SessionParams, Result, Schema extends z.ZodMiniType<Params>>(
		declaration: RequestSignature<Params, Result>,
		schema: Schema & MatchesDeclared<Schema, Params>,
		handle: (
			session: Session,
			params: Omit<Params, 'sessionId'>,
			context: CallContext,
			lane: CallLane,
		) => Promise<Result> | Result,
	): RequestMethod =>
		onRequest<Params, Result, Schema>(declaration, schema, ({ sessionId, ...params }, context) =>
			store.run(sessionId, client, (session, lane) => handle(session, params, context, lane)),
		);
}
