import type { Usage } from '../../protocol/conversation.ts';
import { promptTokens } from '../meter/meter.ts';

/** How full a window must be for an answer without a word to count as cut off by it. */
const full = 0.99;

const outOfLength = new Set(['length', 'max_tokens', 'max_output_tokens', 'incomplete']);

/**
 * Whether a call that "succeeded" did not fit: its input beyond the window (tokens), a stop reason that says so,
 * or no output at all for want of room in a window at least 99% full.
 */
export function isSilentOverflow(call: {
	usage?: Usage;
	stopReason?: string;
	contextWindow: number;
}): boolean {
	const reason = call.stopReason?.toLowerCase();
	if (reason === 'model_context_window_exceeded') return true;
	if (!call.usage || call.contextWindow <= 0) return false;
	const sent = promptTokens(call.usage);
	if (sent > call.contextWindow) return true;
	return (
		reason !== undefined &&
		outOfLength.has(reason) &&
		call.usage.output === 0 &&
		sent >= full * call.contextWindow
	);
}
