/** What a history can be exported as, in the words of a list. */

import type { ExportFormat } from '../../../server/protocol/transcript.ts';

export interface FormatChoice {
	label: string;
	detail: string;
}

/** By format, those first that an agent can go on from. */
export const formatChoices: Readonly<Record<ExportFormat, FormatChoice>> = {
	'claude-code': { label: 'Claude Code Session', detail: 'A session file that claude --resume goes on from' },
	pi: { label: 'pi Session', detail: 'A session file that pi --session goes on from' },
	anthropic: { label: 'Anthropic Messages', detail: 'system and messages of a request, as JSON' },
	openai: { label: 'OpenAI Chat Completions', detail: 'messages of a request, as JSON' },
	'openai-responses': { label: 'OpenAI Responses', detail: 'input of a request, as JSON' },
	gemini: { label: 'Gemini', detail: 'systemInstruction and contents of a request, as JSON' },
	neurolink: { label: 'NeuroLink', detail: 'messages, as JSON' },
	contextd: { label: 'contextd', detail: 'One message a line, in the neutral form, as JSON Lines' },
};

/** The ending of such a file's name. */
export function endingOf(format: ExportFormat): 'json' | 'jsonl' {
	return format === 'claude-code' || format === 'pi' || format === 'contextd' ? 'jsonl' : 'json';
}

/** A name for the file; a session of Claude Code is found by its id. */
export function fileNameOf(format: ExportFormat, agentSessionId: string | undefined): string {
	if (format === 'claude-code' && agentSessionId !== undefined) return `${agentSessionId}.jsonl`;
	return `compacted-history.${format}.${endingOf(format)}`;
}

/** A file that was written. */
export interface Written {
	format: ExportFormat;
	agentSessionId?: string;
	path: string;
	/** The followed transcript of Claude Code, where it is one: sessions of the same project stand beside it. */
	beside?: string;
}

/** A path as one word of a command line. */
function quoted(path: string): string {
	return /^[\w./\\:@-]+$/.test(path) ? path : `"${path}"`;
}

/** How an agent starts from a file; undefined where none does. */
export function startHint({ format, agentSessionId, path, beside }: Written): string | undefined {
	if (format === 'pi') return `Go on from it with: pi --session ${quoted(path)}`;
	if (format !== 'claude-code') return undefined;
	const folder = beside?.replace(/[/\\][^/\\]*$/, '') ?? 'the project’s folder below ~/.claude/projects';
	return `Put it into ${folder}, then: claude --resume ${agentSessionId}`;
}
