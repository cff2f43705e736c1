import type { TranscriptEvent, TranscriptInfo } from './events.ts';

/** Gives an event for what is new about the session, and none where all is known already; a window of 0 says nothing. */
export function infoTeller(): (info: TranscriptInfo) => TranscriptEvent[] {
	const known: Record<string, unknown> = {};
	return (info) => {
		const fresh = Object.entries(info).filter(
			([key, value]) => value !== undefined && value !== 0 && known[key] !== value,
		);
		if (fresh.length === 0) return [];
		Object.assign(known, Object.fromEntries(fresh));
		return [{ t: 'info', info: Object.fromEntries(fresh) }];
	};
}
