/** What Claude Code hands a settings hook on its standard input. */

import { isFields, parsedJson } from '../core/shape.ts';

/** What happened, as far as it is answered here. */
export type HookEvent = { sessionId: string } & (
	| { name: 'PreCompact'; transcript: string; instructions?: string }
	/** The conversation was compacted. */
	| { name: 'SessionStart'; transcript: string }
	| { name: 'PostToolUse'; response: ShellResponse }
);

/** What a shell's call came to, as Claude Code has it; what it holds beside these is kept. */
export interface ShellResponse {
	stdout: string;
	stderr: string;
	isImage?: unknown;
	/** Where Claude Code itself keeps an output that it found too long. */
	persistedOutputPath?: unknown;
}

function textIn(value: unknown): string | undefined {
	return typeof value === 'string' && value !== '' ? value : undefined;
}

function shellResponse(value: unknown): ShellResponse | undefined {
	if (!isFields(value)) return undefined;
	const { stdout, stderr } = value;
	if (typeof stdout !== 'string' || typeof stderr !== 'string') return undefined;
	return { ...value, stdout, stderr };
}

/** Reads it; undefined where it is nothing that is answered. */
export function hookEvent(text: string): HookEvent | undefined {
	const input = parsedJson(text)?.value;
	if (!isFields(input)) return undefined;
	const sessionId = textIn(input.session_id);
	if (sessionId === undefined) return undefined;
	const transcript = textIn(input.transcript_path);
	const isMain = input.agent_id === undefined;
	switch (input.hook_event_name) {
		case 'PreCompact': {
			if (transcript === undefined || !isMain) return undefined;
			return {
				name: 'PreCompact',
				sessionId,
				transcript,
				instructions: textIn(input.custom_instructions),
			};
		}
		case 'SessionStart': {
			if (transcript === undefined || !isMain || input.source !== 'compact') return undefined;
			return { name: 'SessionStart', sessionId, transcript };
		}
		case 'PostToolUse': {
			const response = input.tool_name === 'Bash' ? shellResponse(input.tool_response) : undefined;
			return response && { name: 'PostToolUse', sessionId, response };
		}
		default:
			return undefined;
	}
}
