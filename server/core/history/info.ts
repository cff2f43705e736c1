import type { SessionInfo } from './record.ts';

/** What is known of a session after a change. A window that an overflow taught goes with the model that it was of. */
export function changedInfo(info: SessionInfo, change: Partial<SessionInfo>): SessionInfo {
	const { model = info.model, provider = info.provider } = change;
	const isOther = model !== info.model || provider !== info.provider;
	const changed = { ...info, ...change };
	if (change.contextWindow !== undefined) {
		return { ...changed, contextWindowLearned: change.contextWindowLearned };
	}
	if (!isOther || !info.contextWindowLearned) return changed;
	return { ...changed, contextWindow: undefined, contextWindowLearned: undefined };
}
