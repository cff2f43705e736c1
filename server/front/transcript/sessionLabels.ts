import type { Fields } from '../../core/shape.ts';
import { contextHistory } from '../../protocol/history.ts';
import type { Daemon } from '../console/daemon.ts';
import { createLabels, type Labels } from '../output/labels.ts';

/**
 * What visible messages of a session are about.
 * @param messageIds of which; all where absent
 */
export async function historyLabels(
	daemon: Daemon,
	sessionId: string,
	messageIds?: string[],
): Promise<Labels> {
	const labels = createLabels();
	const { messages } = await daemon.request(contextHistory, { sessionId, messageIds });
	for (const message of messages as Fields[]) {
		if (typeof message.id === 'string') labels.add(message.id, message);
	}
	return labels;
}
