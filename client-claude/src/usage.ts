import type { Conversations } from './conversations.ts';
import type { Host, StepResult } from './host.ts';

/** Keeps what the provider reported for a request, for the daemon. */
export async function keepUsage(
	host: Host,
	agent: string | undefined,
	{ usage }: StepResult,
	conversations: Conversations,
): Promise<void> {
	if (usage === null) return;
	const held = await conversations.current(host, agent);
	const cost = {
		input: usage.input_tokens,
		output: usage.output_tokens,
		cacheRead: usage.cache_read_input_tokens,
		cacheWrite: usage.cache_creation_input_tokens,
		...(held.isCachedForHour && { cacheWriteForHour: usage.cache_creation_input_tokens }),
	};
	held.conversation.reported(cost);
	held.failedTrials = 0;
	held.answered = Math.max(held.answered, cost.input + cost.cacheRead + cost.cacheWrite);
}
