/**
 * A summary prepared ahead: from the warning level on a model is asked in the background, and its summary is laid
 * over the history when it is ready, so that no request has to wait for it later. Without one the history stays as
 * it is: room that needs no model is made when it is needed.
 */

import type { CompactResult } from '../../protocol/compact.ts';
import type { Session } from '../session.ts';
import type { SessionStore } from '../store.ts';
import { historyTokens } from './receipt.ts';
import { compactSession, summarizerOf } from './request.ts';
import { isAboutTheSame, noteProgress } from './stall.ts';

const asked = new WeakMap<Session, AbortController>();

/** Tokens of the history of which a model's summary was wanted last, and did not come to anything. */
const inVain = new WeakMap<Session, number>();

/** Starts a compaction in the background where somebody writes summaries, none is under way, and it may help. */
export function compactAhead(store: SessionStore, session: Session): void {
	const tokens = historyTokens(session.state);
	const then = inVain.get(session);
	const isAskedAgain = then !== undefined && isAboutTheSame(tokens, then);
	if (!summarizerOf(store) || asked.has(session) || isAskedAgain) return;
	const controller = new AbortController();
	const { signal } = controller;
	asked.set(session, controller);
	const done = (result: CompactResult | null): void => {
		asked.delete(session);
		if (result?.compacted) noteProgress(session, result, 'overflow');
		else inVain.set(session, tokens);
	};
	const failed = (error: unknown): void => {
		if (signal.aborted) return void asked.delete(session);
		done(null);
		store.world.log.warn(`no summary was prepared for "${session.id}": ${error}`);
	};
	// Through the store, so that the session stays open for as long as the model thinks.
	store
		.run(session.id, (open) => compactSession(store, open, { needed: 'later' }, { signal, report: () => {} }))
		.then(done, failed);
}

/** Calls a background compaction off: room is needed now, and nobody waits for a model then. */
export function stopAhead(session: Session): void {
	asked.get(session)?.abort(new Error('room was needed before the summary was ready'));
}
