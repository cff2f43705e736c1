/** What a session learns from an overflow for good. */

import { isAboutBytes } from '../../core/overflow/classify.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import { commit } from '../commit.ts';
import type { Session } from '../session.ts';
import type { Standing } from '../stats.ts';

/** A limit below this is no window but some other figure of the error. Tokens. */
export const smallestWindow = 1000;

/** No provider counts more tokens than this for one of ours: where even that would fit, the cause is another. */
const mostTokensEach = 2;

/**
 * The window that an overflow proves, where it is news: the one that it names, if that is smaller than the session
 * took it for, or larger and no person said otherwise; else, in the session's own count, what was too much.
 */
function provenWindow(
	found: ErrorClass,
	error: unknown,
	session: Session,
	standing: Standing,
): number | undefined {
	const { contextWindow, contextWindowSource: source } = standing.budget;
	const { windowTokens: named } = found;
	if (named !== undefined) {
		const isChosen =
			source === 'settings' || (source === 'client' && !session.state.info.contextWindowLearned);
		const isNews = named < contextWindow || (named > contextWindow && !isChosen);
		return named >= smallestWindow && isNews ? named : undefined;
	}
	const { tokens, source: counted } = standing.reading;
	const isFarOff = counted === 'estimated' && tokens * mostTokensEach < contextWindow;
	if (isFarOff || isAboutBytes(error)) return undefined;
	const proven = tokens + standing.budget.outputReserve;
	return proven >= smallestWindow && proven < contextWindow ? proven : undefined;
}

/** What an overflow teaches for good: the window, and what the provider counts for the history as it stands. */
export async function learnFromOverflow(
	session: Session,
	found: ErrorClass,
	error: unknown,
	standing: Standing,
): Promise<void> {
	const { world } = session;
	const contextWindow = provenWindow(found, error, session, standing);
	const { promptTokens: prompt } = found;
	if (contextWindow !== undefined) {
		await commit(session, { t: 'set', change: { contextWindow, contextWindowLearned: true } });
	}
	if (prompt !== undefined && session.state.view.length > 0) {
		await commit(session, { t: 'refusal', prompt, request: standing.request, at: world.now() });
	}
}
