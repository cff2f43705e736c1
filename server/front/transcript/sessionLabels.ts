import type { Fields } from '../../core/shape.ts';
import { contextHistory, contextOriginal } from '../../protocol/history.ts';
import type { ContextStats } from '../../protocol/stats.ts';
import type { Daemon } from '../console/daemon.ts';
import { createLabels, type Labels } from '../output/labels.ts';

/** Messages of a history up to which it is asked for as a whole, which tells the most. */
const wholeUpTo = 2000;
/** UTF-16 units of a message that are enough to tell what it is about. */
const opening = 500;

/** What the visible messages of a session are about. */
export async function historyLabels(daemon: Daemon, sessionId: string): Promise<Labels> {
	const labels = createLabels();
	const { messages } = await daemon.request(contextHistory, { sessionId });
	for (const message of messages as Fields[]) {
		if (typeof message.id === 'string') labels.add(message.id, message);
	}
	return labels;
}

/** What the largest messages of a session are about; of a long one by their beginnings alone. */
export async function largestLabels(daemon: Daemon, stats: ContextStats): Promise<Labels> {
	const { sessionId, messageCount, largest } = stats;
	if (messageCount <= wholeUpTo) return historyLabels(daemon, sessionId);
	const labels = createLabels();
	for (const { messageId, role, toolName } of largest) {
		const { content } = await daemon.request(contextOriginal, { sessionId, messageId, limit: opening });
		labels.add(messageId, { role, toolName, content });
	}
	return labels;
}
