import type { TranscriptEvent, TranscriptInfo } from './events.ts';

/** Gives an event for what is new about the session, and none where all is known already; a window of 0 says nothing. */
export function infoTeller(): (info: TranscriptInfo) => TranscriptEvent[] {
	const known: Record<string, unknown> = {};
	return (info) => {
		// Asked with every record, and nearly always without news.
		let fresh: Record<string, unknown> | undefined;
		for (const key in info) {
			const value = info[key as keyof TranscriptInfo];
			if (value === undefined || value === 0 || known[key] === value) continue;
			fresh ??= {};
			fresh[key] = value;
		}
		if (fresh === undefined) return [];
		Object.assign(known, fresh);
		return [{ t: 'info', info: fresh }];
	};
}
