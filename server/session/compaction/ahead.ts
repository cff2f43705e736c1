/**
 * A summary prepared ahead: from the warning level on a model is asked in the background, and its summary is laid
 * over the history when it is ready, so that no request has to wait for it later.
 */

import type { CompactResult } from '../../core/compact/result.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../store.ts';
import { compactSession, summarizerOf } from './request.ts';
import { noteProgress } from './stall.ts';

const asked = new WeakMap<Session, AbortController>();

/** Starts a compaction in the background where somebody writes summaries and none is under way. */
export function compactAhead(store: SessionStore, session: Session): void {
	if (!summarizerOf(store) || asked.has(session)) return;
	const controller = new AbortController();
	const { signal } = controller;
	asked.set(session, controller);
	const done = (result: CompactResult | null): void => {
		asked.delete(session);
		if (result) noteProgress(session, result, 'overflow');
	};
	// Through the store, so that the session stays open for as long as the model thinks.
	store
		.run(session.id, (open) => compactSession(store, open, {}, { signal, report: () => {} }))
		.then(done, (error) => {
			done(null);
			if (!signal.aborted) store.world.log.warn(`no summary was prepared for "${session.id}": ${error}`);
		});
}

/** Calls a background compaction off: room is needed now, and nobody waits for a model then. */
export function stopAhead(session: Session): void {
	asked.get(session)?.abort(new Error('room was needed before the summary was ready'));
}
