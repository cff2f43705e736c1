/** What is known of a session, and how it changes. */

import type { KnownWindow, SessionInfo } from './record.ts';

/**
 * What is known of a session after a change. A window that an overflow taught holds until the model changes, or until the
 * client states another window than the one that it replaced: a client repeats its own whenever it opens the session.
 */
export function changedInfo(info: SessionInfo, change: Partial<SessionInfo>): SessionInfo {
	const { model = info.model, provider = info.provider } = change;
	const isOther = model !== info.model || provider !== info.provider;
	const changed = { ...info, ...change };
	const { contextWindow, contextWindowLearned, refusedPrompt } = change;
	const isRepeated =
		!isOther && info.contextWindowLearned === true && contextWindow === info.contextWindowBefore;
	if (contextWindow !== undefined && isRepeated && !contextWindowLearned) {
		return { ...changed, contextWindow: info.contextWindow };
	}
	if (contextWindow !== undefined) {
		const before = info.contextWindowLearned ? info.contextWindowBefore : info.contextWindow;
		const contextWindowBefore = contextWindowLearned ? before : undefined;
		return { ...changed, contextWindowLearned, contextWindowBefore, refusedPrompt };
	}
	if (!isOther || !info.contextWindowLearned) return changed;
	return withWindow(changed, {});
}

/** The same session with another window, or with none but its model's. */
export function withWindow(info: SessionInfo, window: KnownWindow): SessionInfo {
	return {
		...info,
		contextWindow: window.contextWindow,
		contextWindowLearned: window.contextWindowLearned,
		contextWindowBefore: window.contextWindowBefore,
		refusedPrompt: window.refusedPrompt,
	};
}
