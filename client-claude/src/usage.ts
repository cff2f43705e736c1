import type { Conversations } from './conversations.ts';
import type { StepResult } from './host.ts';

/** Keeps what the provider reported for a request, for the daemon. */
export function keepUsage(
	agent: string | undefined,
	{ usage }: StepResult,
	conversations: Conversations,
): void {
	const held = conversations.newest(agent);
	if (usage === null || held === undefined) return;
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
