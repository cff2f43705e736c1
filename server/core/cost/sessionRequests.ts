/** Lists the newest requests of a session, for computing the state of its cache. */

import type { Role, Usage } from '../../protocol/conversation.ts';
import { isUsable } from '../meter/meter.ts';
import type { CachedRequest } from './cacheState.ts';
import { isSameUsage } from './spent.ts';

/** Number of newest messages to read: enough for a few dozen requests. */
export const maxRequestRows = 400;

/** The messages of a session with the usage of their calls, and the times of its appends (`State`). */
interface SessionRows {
	rows: readonly { role: Role; usage?: Usage; stopReason?: string; at?: number }[];
	appends: readonly { seq: number; at: number }[];
}

/** Returns when a message arrived, in milliseconds since the epoch: its own time, else its append's. O(log appends). */
export function findArrivalTime({ rows, appends }: SessionRows, seq: number): number | undefined {
	const at = rows[seq]?.at;
	if (at !== undefined) return at;
	let low = 0;
	let high = appends.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((appends[middle]?.seq ?? 0) <= seq) low = middle + 1;
		else high = middle;
	}
	return appends[low - 1]?.at;
}

/**
 * Returns the newest requests with usable usage, oldest first. O(1). A request started when the message before its answer
 * arrived, because agents append the answer only with their next request.
 */
export function listNewestRequests(session: SessionRows): CachedRequest[] {
	const { rows } = session;
	const requests: CachedRequest[] = [];
	for (let seq = Math.max(1, rows.length - maxRequestRows); seq < rows.length; seq++) {
		const row = rows[seq];
		if (row?.role !== 'assistant' || !isUsable(row.usage, row.stopReason)) continue;
		const startedAt = findArrivalTime(session, seq - 1);
		const isRepeated = isSameUsage(rows[seq - 1]?.usage, row.usage);
		if (startedAt !== undefined && !isRepeated) requests.push({ startedAt, usage: row.usage });
	}
	return requests;
}
