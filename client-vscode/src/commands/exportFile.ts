/** What an exported history is told as: formats and names of files, the words for one that is taken along. */

import { realpath, stat } from 'node:fs/promises';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ExportFormat } from '../../../server/protocol/transcript.ts';
import { tokensText } from '../text/figures.ts';
import { receiptText } from '../text/receiptText.ts';
import type { Followed } from '../usage/usage.ts';

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
	bedrock: { label: 'Amazon Bedrock Converse', detail: 'system and messages of a request, as JSON' },
	'ai-sdk': { label: 'AI SDK', detail: 'ModelMessages, as JSON' },
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

/** What tells the file at a path from others; null where there is none. */
async function fileAt(path: string): Promise<string | null> {
	try {
		const { dev, ino } = await stat(path);
		return ino === 0 ? await realpath(path) : `${dev}:${ino}`;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
		throw error;
	}
}

/**
 * Whether a path leads to the file that holds a transcript. A session in a database is named by the file, a `#` and
 * the session's id.
 */
export async function isTranscriptFile(path: string, transcript: string): Promise<boolean> {
	const file = await fileAt(path);
	if (file === null) return false;
	const holders = await Promise.all([transcript, transcript.replace(/#[^#]*$/, '')].map(fileAt));
	return holders.includes(file);
}

interface TakenAlong {
	/** Over the list of ways to take it along. */
	heading: string;
	/** Why it is to be taken along. */
	why: string;
	/** The first line of it. */
	title: string;
}

/** The words for a history that a compaction made, or found nothing to do in. */
export function takenAlong(
	compaction: CompactResult,
	{ followed, title }: { followed: Followed; title?: string },
): TakenAlong {
	const name = followed.label;
	const about = title ? `“${title}” (${name})` : `a session of ${name}`;
	const after = tokensText(compaction.tokensAfter);
	if (!compaction.compacted) {
		return {
			heading: `History (${after} tokens)`,
			why: receiptText(compaction),
			title: `History of ${about}: ${after} tokens.`,
		};
	}
	const saving = `${tokensText(compaction.tokensBefore)} → ${after}`;
	return {
		heading: `Compacted History (${saving} tokens)`,
		why: `${name} keeps its own context: take the compacted history along`,
		title: `Compacted history of ${about}: ${saving} tokens.`,
	};
}
