/** Formats, file names and texts of exported histories. */

import { realpath, stat } from 'node:fs/promises';
import { formatTokens } from '../../../server/core/figures.ts';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import type { ExportFormat } from '../../../server/protocol/transcript.ts';
import { t } from '../text/language.ts';
import { receiptText, savingText } from '../text/receiptText.ts';
import type { FollowedTranscript } from '../usage/usage.ts';
import { compactionChangeText } from '../usage/windowChange.ts';

export interface FormatChoice {
	label: string;
	detail: string;
}

/** Returns the choices by format, those that an agent can continue from first. */
export function formatChoices(): Readonly<Record<ExportFormat, FormatChoice>> {
	return {
		'claude-code': sessionChoice('Claude Code', 'claude --resume'),
		codex: sessionChoice('Codex', 'codex resume'),
		opencode: sessionChoice('OpenCode', 'opencode import'),
		pi: sessionChoice('pi', 'pi --session'),
		'gemini-cli': sessionChoice('Gemini CLI', 'gemini --session-file'),
		'copilot-cli': sessionChoice('Copilot CLI', 'copilot --resume'),
		anthropic: {
			label: 'Anthropic Messages',
			detail: t('system and messages of a request, as JSON'),
		},
		openai: { label: 'OpenAI Chat Completions', detail: t('messages of a request, as JSON') },
		'openai-responses': { label: 'OpenAI Responses', detail: t('input of a request, as JSON') },
		gemini: { label: 'Gemini', detail: t('systemInstruction and contents of a request, as JSON') },
		bedrock: {
			label: 'Amazon Bedrock Converse',
			detail: t('system and messages of a request, as JSON'),
		},
		'ai-sdk': { label: 'AI SDK', detail: t('ModelMessages, as JSON') },
		neurolink: { label: 'NeuroLink', detail: t('messages, as JSON') },
		contextd: {
			label: 'contextd',
			detail: t('One message per line, in the neutral format, as JSON Lines'),
		},
	};
}

function sessionChoice(agent: string, command: string): FormatChoice {
	return { label: t('{0} Session', agent), detail: t('A session file for {0}', command) };
}

const lineFormats: readonly ExportFormat[] = [
	'claude-code',
	'codex',
	'pi',
	'gemini-cli',
	'copilot-cli',
	'contextd',
];

/** Returns the extension of an exported file. */
export function extensionOf(format: ExportFormat): 'json' | 'jsonl' {
	return lineFormats.includes(format) ? 'jsonl' : 'json';
}

/** Returns the name of an exported file; some agents find a session by it. */
export function exportedFileNameOf(
	format: ExportFormat,
	agentSessionId: string | undefined,
	now: number,
): string {
	if (format === 'claude-code' && agentSessionId !== undefined) return `${agentSessionId}.jsonl`;
	if (format === 'codex' && agentSessionId !== undefined) {
		const time = new Date(now).toISOString().slice(0, 19).replaceAll(':', '-');
		return `rollout-${time}-${agentSessionId}.jsonl`;
	}
	if (format === 'copilot-cli') return 'events.jsonl';
	return `compacted-history.${format}.${extensionOf(format)}`;
}

/** A file that was written. */
export interface WrittenFile {
	format: ExportFormat;
	agentSessionId?: string;
	path: string;
	/** The followed transcript, if Claude Code's: sessions of its project are stored in the same folder. */
	original?: string;
}

/** Where a file is saved if the user does not choose another place. */
interface Proposal {
	format: ExportFormat;
	name: string;
	/** The user's home folder. */
	home: string;
	/** As in `WrittenFile`. */
	original?: string;
}

/**
 * Returns the proposed path of an exported file: next to the original if Claude Code finds it there, otherwise in the
 * home folder. In the workspace, Git would list it.
 */
export function proposedPath({ format, name, home, original }: Proposal): string {
	return format === 'claude-code' && original !== undefined
		? siblingPath(original, name)
		: siblingPath(`${home}/`, name);
}

function folderOf(file: string): string {
	return file.replace(/[/\\][^/\\]*$/, '');
}

/** Quotes a path for a command line, if needed. */
function quoted(path: string): string {
	return /^[\w./\\:@-]+$/.test(path) ? path : `"${path}"`;
}

/** Returns the path of a file in the folder of another file. */
export function siblingPath(path: string, name: string): string {
	return path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1) + name;
}

/** Returns the name of the folder in which Claude Code stores the sessions of a project. */
export function projectNameOf(folder: string): string {
	return folder.replace(/[^a-zA-Z0-9]/g, '-');
}

/** Returns that name from the path of one of the project's sessions. */
export function projectNameIn(transcript: string): string | undefined {
	return transcript.split(/[/\\]/).at(-2);
}

/** How to start an agent from a file. */
export interface AgentStart {
	/** A sentence for people. */
	hint: string;
	/** The command line. */
	command: string;
}

/** Returns the command of an agent that reads a session from any place; undefined for other formats. */
function directCommand(format: ExportFormat, file: string, id: string | undefined): string | undefined {
	if (format === 'pi') return `pi --session ${file}`;
	if (format === 'gemini-cli') return `gemini --session-file ${file}`;
	if (format !== 'opencode' || id === undefined) return undefined;
	return `opencode import ${file} && opencode -s ${id}`;
}

/** Returns how an agent starts whose sessions are in one place for all projects; undefined for other formats. */
function movedStart(format: ExportFormat, id: string): AgentStart | undefined {
	const start = (folder: string, command: string): AgentStart => ({
		command,
		hint: t('Move it into {0}, then run “{1}”.', folder, command),
	});
	if (format === 'codex') return start('~/.codex/sessions', `codex resume ${id}`);
	return format === 'copilot-cli'
		? start(`~/.copilot/session-state/${id}`, `copilot --resume=${id}`)
		: undefined;
}

/** Returns how an agent starts from a file; undefined if no agent does. */
export function agentStartOf({
	format,
	agentSessionId,
	path,
	original,
}: WrittenFile): AgentStart | undefined {
	const direct = directCommand(format, quoted(path), agentSessionId);
	if (direct !== undefined) return { command: direct, hint: t('Continue with “{0}”.', direct) };
	if (agentSessionId === undefined) return undefined;
	const moved = movedStart(format, agentSessionId);
	if (moved !== undefined) return moved;
	if (format !== 'claude-code') return undefined;
	const command = `claude --resume ${agentSessionId}`;
	const folder = original && folderOf(original);
	if (folder !== undefined && folderOf(path) === folder)
		return { command, hint: t('Continue with “{0}”.', command) };
	const project = folder ?? t('the project’s folder in ~/.claude/projects');
	return { command, hint: t('Move it into {0}, then run “{1}”.', project, command) };
}

/** Returns a unique identity of the file at a path; null if there is none. */
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
 * Returns whether a path leads to the file that contains a transcript. The name of a session in a database consists
 * of the file, a `#` and the session's id.
 */
export async function isTranscriptFile(path: string, transcript: string): Promise<boolean> {
	const file = await fileAt(path);
	if (file === null) return false;
	const files = await Promise.all([transcript, transcript.replace(/#[^#]*$/, '')].map(fileAt));
	return files.includes(file);
}

interface TakenAlong {
	/** Title of the list of export options. */
	heading: string;
	/** Why the history should be exported. */
	why: string;
	/** First line of the exported text. */
	title: string;
}

/** Returns the texts for exporting a history, compacted or not. */
export function exportTexts(
	compaction: CompactResult,
	{ followed, title }: { followed: FollowedTranscript; title?: string },
	stats?: ContextStats,
): TakenAlong {
	const name = followed.label;
	const about = title ? t('“{0}” ({1})', title, name) : t('a session of {0}', name);
	const after = formatTokens(compaction.tokensAfter);
	if (!compaction.compacted) {
		return {
			heading: t('History ({0} tokens)', after),
			why: receiptText(compaction),
			title: t('History of {0}: {1} tokens.', about, after),
		};
	}
	const saving = savingText(compaction);
	return {
		heading: t('Compacted History: {0}', compactionChangeText(stats, compaction)),
		why: t('{0} manages its own context: export the compacted history instead', name),
		title: t('Compacted history of {0}: {1} tokens.', about, saving),
	};
}
