/**
 * A summary prepared ahead: from the warning level on a model is asked in the background, and its summary is laid
 * over the history when it is ready, so that no request has to wait for it later. Without one the history stays as
 * it is: room that needs no model is made when it is needed.
 */

import type { CompactResult } from '../../protocol/compact.ts';
import type { Session } from '../session.ts';
import { historyTokens } from './receipt.ts';
import { chainFor, compactSession } from './request.ts';
import { isAboutTheSame, noteProgress } from './stall.ts';

/** Starts a compaction in the background where somebody writes summaries, none is under way, and it may help. */
export function compactAhead(session: Session): void {
	const tokens = historyTokens(session.state);
	const { inVain } = session.ahead;
	const isAskedAgain = inVain !== undefined && isAboutTheSame(tokens, inVain);
	if (chainFor(session).links.length === 0 || session.ahead.asked || isAskedAgain) return;
	const controller = new AbortController();
	const { signal } = controller;
	session.ahead.asked = controller;
	const done = (result: CompactResult | null): void => {
		session.ahead.asked = undefined;
		if (result?.compacted) noteProgress(session, result, 'overflow');
		else session.ahead.inVain = tokens;
	};
	const failed = (error: unknown): void => {
		session.ahead.asked = undefined;
		if (signal.aborted) return;
		session.ahead.inVain = tokens;
		session.world.log.warn(`no summary was prepared for "${session.id}": ${error}`);
	};
	session
		.stayOpen(() => compactSession(session, { needed: 'later' }, { signal, report: () => {} }))
		.then(done, failed);
}

/** Calls a background compaction off: room is needed now, and nobody waits for a model then. */
export function stopAhead(session: Session): void {
	session.ahead.asked?.abort(new Error('room was needed before the summary was ready'));
}
