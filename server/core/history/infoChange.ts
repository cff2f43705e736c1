/** Changes a session's description: its model, its window and its origin. */

import type { KnownWindow, SessionInfo } from './record.ts';

/** Whether a change of a session's info names another model or provider. */
export function changesModel(
	info: SessionInfo,
	{ model = info.model, provider = info.provider }: Partial<SessionInfo>,
): boolean {
	return model !== info.model || provider !== info.provider;
}

/**
 * Returns the session's info after a change.
 *
 * A window learned from an overflow stays valid until the model changes or the client states a new window. Clients
 * restate their window whenever they open a session, so restating the replaced window changes nothing.
 */
export function applyInfoChange(info: SessionInfo, change: Partial<SessionInfo>): SessionInfo {
	const isOtherModel = changesModel(info, change);
	const changedInfo = { ...info, ...change };
	const { contextWindow, contextWindowLearned, refusedPrompt } = change;
	const isRepeated =
		!isOtherModel && info.contextWindowLearned === true && contextWindow === info.contextWindowBefore;
	if (contextWindow !== undefined && isRepeated && !contextWindowLearned)
		return { ...changedInfo, contextWindow: info.contextWindow };
	if (contextWindow !== undefined) {
		const before = info.contextWindowLearned ? info.contextWindowBefore : info.contextWindow;
		const contextWindowBefore = contextWindowLearned ? before : undefined;
		return { ...changedInfo, contextWindowLearned, contextWindowBefore, refusedPrompt };
	}
	if (!isOtherModel || !info.contextWindowLearned) return changedInfo;
	return replaceWindow(changedInfo, {});
}

/** Returns the info with another window, or with the model's own window if `window` is empty. */
export function replaceWindow(info: SessionInfo, window: KnownWindow): SessionInfo {
	const { contextWindow, contextWindowLearned, contextWindowBefore, refusedPrompt } = window;
	return { ...info, contextWindow, contextWindowLearned, contextWindowBefore, refusedPrompt };
}
