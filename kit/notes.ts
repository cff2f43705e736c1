/** Lines after messages that state how full the window is. */

import type { Dialect } from './dialects/dialect.ts';
import type { IdentifiedList } from './fingerprint.ts';
import type { StoredConversation } from './stored.ts';

/** Percent of the limit at which a line is added. */
const levels = [70, 85, 95] as const;

/**
 * Returns the line to add at a usage, and the level reached: one line per rise, none if the usage fell or stayed.
 * @param reached percent, the highest level announced since the usage was last below it; 0 if none was
 * @param ratio usage over limit
 */
export function usageLevelLine(reached: number, ratio: number): { reached: number; text?: string } {
	const now = levels.findLast((level) => ratio * 100 >= level) ?? 0;
	if (now <= reached) return { reached: now };
	const text = `<system-reminder>contextd: ${now}% of the context window's limit is in use. Older messages are shortened when it is full; contextd_recall finds what was left out.</system-reminder>`;
	return { reached: now, text };
}

/**
 * Returns the state with a line after the newest message of a list if the usage rose above a level; the line stays there
 * until the next decision.
 * @param usageRatio usage over limit
 */
export function withUsageLevelLine<HostMessage>(
	stored: StoredConversation<HostMessage>,
	{ raw, ids }: IdentifiedList<HostMessage>,
	dialect: Dialect<HostMessage>,
	usageRatio: number,
): StoredConversation<HostMessage> {
	const newest = ids.at(-1);
	const message = raw.at(-1);
	if (newest === undefined || message === undefined) return stored;
	const { reached, text } = usageLevelLine(stored.reached, usageRatio);
	if (text === undefined) return { ...stored, reached };
	// If the host's message takes no further text, the line waits for the next one.
	if (dialect.withNote(message, text) === message) return stored;
	const { held } = stored;
	return { ...stored, reached, held: { ...held, notes: { ...held.notes, [newest]: text } } };
}
