/** What a session learns from an overflow, until an answer's figure says otherwise. */

import type { KnownWindow } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';
import { isAboutBytes } from '../../core/overflow/classify.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import type { StatsOverlay } from '../../protocol/stats.ts';
import { commit } from '../commit.ts';
import type { Session } from '../session.ts';
import { type ContextUsage, contextUsageOf } from '../stats.ts';
import { mostTokensEach, smallestWindow } from './tuning.ts';

/**
 * The window that an error names, in tokens of the session's count; undefined where it names none. An error that
 * counted less than the request is believed to have at the very least counted in other units, its limit likewise.
 */
export function namedWindow(found: ErrorClass, reading: ContextUsage['reading']): number | undefined {
	const { windowTokens: window = 0, promptTokens: prompt } = found;
	if (window < smallestWindow) return undefined;
	const isOtherUnit = prompt !== undefined && prompt < reading.tokens - 1;
	return isOtherUnit ? Math.round((window * reading.tokens) / prompt) : window;
}

/**
 * The window that an overflow proves, where it is news: the one that it names, if that is smaller than the session
 * took it for, or larger and no person said otherwise; else, in the session's own count, what was too much.
 */
function provenWindow(
	found: ErrorClass,
	error: unknown,
	{ info }: State,
	{ budget, reading }: ContextUsage,
): number | undefined {
	const { contextWindow, contextWindowSource: source } = budget;
	const { promptTokens: prompt } = found;
	const named = namedWindow(found, reading);
	if (found.windowTokens !== undefined) {
		const isChosen = source === 'settings' || (source === 'client' && !info.contextWindowLearned);
		const isNews = named !== undefined && (named < contextWindow || (named > contextWindow && !isChosen));
		return isNews ? named : undefined;
	}
	const { tokens, source: counted } = reading;
	const isFarOff =
		prompt === undefined
			? counted === 'estimated' && tokens * mostTokensEach < contextWindow
			: prompt > tokens + 1;
	if (isFarOff || isAboutBytes(error)) return undefined;
	const proven = tokens + budget.outputReserve;
	return proven >= smallestWindow && proven < contextWindow ? proven : undefined;
}

function knownWindow({ info }: State): KnownWindow {
	const { contextWindow, contextWindowLearned, contextWindowBefore } = info;
	return { contextWindow, contextWindowLearned, contextWindowBefore };
}

/**
 * Learns from an overflow what the provider counts for the history as it stands, and the window. Gives the way to
 * take it back: where no room could be made under what was learned, it would only keep every later request from
 * being sent.
 */
export async function learnFromOverflow(
	session: Session,
	found: ErrorClass,
	error: unknown,
	overlay: StatsOverlay,
): Promise<() => Promise<void>> {
	const { world, state } = session;
	const { correction } = state.meter;
	const window = knownWindow(state);
	const { promptTokens: prompt } = found;
	if (prompt !== undefined && state.view.length > 0) {
		const { request } = await contextUsageOf(session, overlay);
		await commit(session, { t: 'refusal', prompt, request, at: world.now() });
	}
	const learned = state.meter.correction;
	const contextWindow = provenWindow(found, error, state, await contextUsageOf(session, overlay));
	if (contextWindow !== undefined) {
		await commit(session, { t: 'set', change: { contextWindow, contextWindowLearned: true } });
	}
	return async () => {
		const { info, meter } = state;
		const isWindowKept = info.contextWindowLearned && info.contextWindow === contextWindow;
		const isCorrected = meter.correction === learned && learned !== correction;
		if (!isWindowKept && !isCorrected) return;
		await commit(session, {
			t: 'unlearn',
			at: world.now(),
			correction: isCorrected ? correction : meter.correction,
			...(isWindowKept && contextWindow !== undefined && { window }),
		});
	};
}
