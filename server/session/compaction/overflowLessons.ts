/** Learns a model's limit from an overflow error; the limit applies until a later usage figure contradicts it. */

import { formatNumber } from '../../core/figures.ts';
import type { KnownWindow } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';
import { isAboutBytes } from '../../core/overflow/classify.ts';
import type { ErrorClass } from '../../protocol/overflow.ts';
import type { StatsOverlay } from '../../protocol/stats.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import { type ContextUsage, readContextUsage } from '../contextUsage.ts';
import type { Session } from '../session.ts';
import { maxTokenRatio, minWindowTokens } from './tuning.ts';

/**
 * Returns the window that an error names, in tokens as the session counts them; undefined if the error names none.
 *
 * If the error's own count is below the request's minimum size, its units differ from ours, so its limit is converted.
 * @param requestTokens minimum size of the refused request, in tokens as the session counts them
 */
export function findNamedWindow(error: ErrorClass, requestTokens: number): number | undefined {
	const { windowTokens: window = 0, promptTokens: prompt } = error;
	if (window < minWindowTokens) return undefined;
	const isOtherUnit = prompt !== undefined && prompt < requestTokens - 1;
	return isOtherUnit ? Math.round((window * requestTokens) / prompt) : window;
}

/**
 * Returns the window that an overflow proves; undefined if it equals the known window.
 *
 * This is the window that the error names, unless the user set a smaller one; without a named window, it is the refused
 * prompt plus the reserve. It is never below the largest prompt that the model answered.
 */
function findProvenWindow(
	errorClass: ErrorClass,
	error: unknown,
	{ info, answeredTokens }: State,
	{ budget, meterReading }: ContextUsage,
): Pick<KnownWindow, 'contextWindow' | 'refusedPrompt'> | undefined {
	const { contextWindow, contextWindowSource: source } = budget;
	const { promptTokens: prompt } = errorClass;
	const namedWindow = findNamedWindow(errorClass, meterReading.tokens);
	if (errorClass.windowTokens !== undefined) {
		if (namedWindow === undefined) return undefined;
		const window = Math.max(namedWindow, answeredTokens);
		const isSetByUser = source === 'settings' || (source === 'client' && !info.contextWindowLearned);
		const isChanged = window < contextWindow || (window > contextWindow && !isSetByUser);
		return isChanged ? { contextWindow: window } : undefined;
	}
	const { tokens, source: tokensSource } = meterReading;
	const isFarOff =
		prompt === undefined
			? tokensSource === 'estimated' && tokens * maxTokenRatio < contextWindow
			: prompt > tokens + 1;
	if (isFarOff || isAboutBytes(error) || tokens <= answeredTokens) return undefined;
	const provenWindow = tokens + budget.outputReserve;
	if (provenWindow < minWindowTokens || provenWindow >= contextWindow) return undefined;
	return { contextWindow: provenWindow, refusedPrompt: tokens };
}

/** What a session learned from an overflow. */
export interface OverflowLesson {
	/** One line that tells the user the new limit; absent if the limit did not change. */
	warning?: string;
	/** Forgets the lesson, whose limit would block later requests if the history cannot be compacted. */
	revert(): Promise<void>;
}

/** A request that a provider refused. */
interface RefusedRequest {
	errorClass: ErrorClass;
	/** The provider's error, unchanged. */
	error: unknown;
	overlay: StatsOverlay;
}

/** Records what an overflow error reveals: the provider's token count of the present history, and the window. */
export async function learnFromOverflow(
	session: Session,
	client: ClientContext,
	{ errorClass, error, overlay }: RefusedRequest,
): Promise<OverflowLesson> {
	const { services, state } = session;
	const { correction } = state.meter;
	const { contextWindow, contextWindowLearned, contextWindowBefore, refusedPrompt } = state.info;
	const window = { contextWindow, contextWindowLearned, contextWindowBefore, refusedPrompt };
	const { promptTokens: prompt } = errorClass;
	if (prompt !== undefined && state.view.length > 0) {
		const { request } = await readContextUsage(session, client, overlay);
		await commit(session, { t: 'refusal', prompt, request, at: services.now() });
	}
	const learnedCorrection = state.meter.correction;
	const before = await readContextUsage(session, client, overlay);
	const provenWindow = findProvenWindow(errorClass, error, state, before);
	if (provenWindow !== undefined)
		await commit(session, { t: 'set', change: { ...provenWindow, contextWindowLearned: true } });
	const revert = async (): Promise<void> => {
		const { info, meter } = state;
		const isWindowKept =
			provenWindow !== undefined &&
			info.contextWindowLearned &&
			info.contextWindow === provenWindow.contextWindow;
		const isCorrected = meter.correction === learnedCorrection && learnedCorrection !== correction;
		if (!isWindowKept && !isCorrected) return;
		await commit(session, {
			t: 'unlearn',
			at: services.now(),
			correction: isCorrected ? correction : meter.correction,
			...(isWindowKept && { window }),
		});
	};
	if (provenWindow === undefined) return { revert };
	const { available } = (await readContextUsage(session, client, overlay)).budget;
	const refusedTokens = formatNumber(errorClass.promptTokens ?? before.meterReading.tokens);
	const warning = `the provider refused ${refusedTokens} tokens: the limit is now ${formatNumber(available)} tokens instead of ${formatNumber(before.budget.available)}, until an undo or a larger answered prompt`;
	return { warning, revert };
}
