/** Writes that other processes hand over, answered as those of clients are. */

import { HolderGone } from '../core/holderGone.ts';
import { isFields } from '../core/shape.ts';
import * as compact from '../protocol/compact.ts';
import * as history from '../protocol/history.ts';
import * as sessions from '../protocol/session.ts';
import { noteReadMethod } from '../session/files/noteRead.ts';
import type { HandedWork } from '../session/holders.ts';
import type { Logger } from '../session/ports.ts';
import type { SessionStore } from '../session/store/store.ts';
import type { ClientConnection } from './call/client.ts';
import { methodNotFound, toAnswerError } from './call/errors.ts';
import type { RequestMethod } from './call/method.ts';

/** Nothing else can be asked for by another process. */
const handedMethods: ReadonlySet<string> = new Set([
	sessions.sessionOpen.method,
	sessions.sessionAppend.method,
	sessions.sessionReportUsage.method,
	sessions.sessionRewind.method,
	sessions.sessionUpdate.method,
	sessions.sessionHoldView.method,
	sessions.sessionInheritView.method,
	sessions.sessionDelete.method,
	compact.contextCompact.method,
	compact.contextUndo.method,
	compact.contextPrepare.method,
	compact.contextRecover.method,
	history.contextCheckpoint.method,
	history.contextRollback.method,
	history.contextPin.method,
	noteReadMethod,
]);

/** What answering takes. */
export interface HandedScope {
	store: SessionStore;
	client(): ClientConnection;
	logger: Logger;
}

/**
 * Answers a write of another process, to the one session that it may speak of. Rejects with the error that it is
 * answered with, and with `HolderGone` where the session is held here no more.
 */
export async function answerHanded(
	methods: readonly RequestMethod[],
	{ sessionId, method: name, params, signal, progress }: HandedWork,
	{ store, client, logger }: HandedScope,
): Promise<unknown> {
	if (!store.held().some(({ id }) => id === sessionId)) throw new HolderGone('the session is held no more');
	const method = handedMethods.has(name) ? methods.find((one) => one.method === name) : undefined;
	if (method === undefined) throw methodNotFound(name);
	const named = { ...(isFields(params) ? params : {}), sessionId };
	const context = {
		signal,
		client: client(),
		progress: { ...progress, end: () => undefined },
		log: logger,
	};
	try {
		return await method.handle(named, context);
	} catch (error) {
		if (error instanceof HolderGone) throw error;
		throw toAnswerError(error, { method: name, signal, logger });
	}
}
