/** What was sent of results before this process began: the texts of whole ones are not kept. */

import type { Dialect } from './dialects/dialect.ts';
import type { HeldResult, HeldView } from './heldView.ts';
import { messageId } from './messageIds.ts';
import { deadlines } from './patience.ts';
import type { Ask } from './ports.ts';
import type { Stored } from './stored.ts';

/** Where the originals are asked for. */
export interface Originals {
	sessionId: string;
	ask: Ask;
}

/**
 * The view with the texts of the results that were sent whole: from the host's list where they still stand there, else
 * as the daemon was told them.
 */
export async function regained<Native>(
	{ held, feed }: Stored<Native>,
	raw: readonly Native[],
	dialect: Dialect<Native>,
	{ sessionId, ask }: Originals,
): Promise<HeldView<Native>> {
	const results: Record<string, HeldResult> = { ...held.results };
	for (const [index, message] of raw.entries()) {
		for (const { callId, text } of dialect.results(message)) {
			const known = results[callId];
			if (known === undefined || known.text !== undefined || text.length > known.units) continue;
			if (text.length === known.units) {
				results[callId] = { ...known, text };
				continue;
			}
			const part = dialect.neutral(message).findIndex(({ toolCallId }) => toolCallId === callId);
			const wanted = { sessionId, messageId: messageId(feed.told[index] ?? '', part), limit: known.units };
			const { content } = await ask('context/original', wanted, { timeoutMs: deadlines.replay });
			if (content.length === known.units) results[callId] = { ...known, text: content };
		}
	}
	return { ...held, results };
}
