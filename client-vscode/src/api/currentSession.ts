/** The session in the meter, as other extensions see it. */

import { formatMeterPercent } from '../usage/meter.ts';
import { getMeasurement, getShownSession, type UsageState } from '../usage/usage.ts';
import type { CurrentSession } from './api.ts';

/** Returns the session that the meter shows, with its stats; null if it shows none. */
export function toCurrentSession(usage: UsageState): CurrentSession | null {
	const session = getShownSession(usage);
	if (!session) return null;
	const { sessionId, title, followed } = session;
	const stats = getMeasurement(usage)?.stats ?? null;
	return {
		sessionId,
		...(title !== undefined && { title }),
		...(followed && { agent: { id: followed.agent, name: followed.label } }),
		percent: stats && formatMeterPercent(stats),
		stats,
	};
}
