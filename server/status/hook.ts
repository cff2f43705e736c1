/** What Claude Code hands a status line on its standard input. */

import { isFields } from '../core/shape.ts';
import { anthropicUsage } from '../core/transcript/reading/usage.ts';
import { fieldsOf, firstNumber, firstText } from '../core/transcript/reading/values.ts';
import { badInput } from '../front/console/failure.ts';
import type { Usage } from '../protocol/conversation.ts';

export interface HookInput {
	transcript?: string;
	/** The model's id; empty where none is named. */
	model: string;
	/** Tokens of the model's window. */
	window?: number;
	/** The newest answer's figures; absent before the first one and after a compaction. */
	usage?: Usage;
	/** The folder in which the session was started. */
	folder?: string;
	/** Tokens that the next request has to write anew once the provider's cache is cold. */
	coldTokens?: number;
	/** Whether the cache holds nothing of the session any more; absent where that is not said. */
	isCold?: boolean;
}

/**
 * Reads it; every member may be missing. Fails with exit code 2 where it is no JSON object.
 * @param now milliseconds since the epoch
 */
export function parseHook(text: string, now: number): HookInput {
	const input = objectOf(text);
	const window = fieldsOf(input.context_window);
	const cache = fieldsOf(input.prompt_cache);
	const workspace = fieldsOf(input.workspace);
	const expiresAt = firstNumber(cache.expires_at);
	const isExpired = expiresAt !== undefined && expiresAt * 1000 < now;
	return {
		transcript: firstText(input.transcript_path),
		model: firstText(fieldsOf(input.model).id) ?? '',
		window: firstNumber(window.context_window_size),
		usage: isFields(window.current_usage) ? anthropicUsage(window.current_usage) : undefined,
		folder: firstText(workspace.project_dir, input.cwd),
		coldTokens: firstNumber(cache.recache_tokens_if_cold),
		...(typeof cache.warm === 'boolean' && { isCold: !cache.warm || isExpired }),
	};
}

function objectOf(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text);
		if (isFields(value)) return value;
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
	}
	const got = text.trim() === '' ? 'nothing' : `"${text.trim().slice(0, 40)}"`;
	throw badInput(
		`statusline: expected the JSON object that Claude Code hands a status line on the standard input, got ${got}`,
	);
}
