/** Formats, file names and texts of exported histories, and of compacted copies of sessions. */

import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { formatTokens } from '../../../server/core/figures.ts';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ContextStats } from '../../../server/protocol/stats.ts';
import type { ExportFormat, Transcript } from '../../../server/protocol/transcript.ts';
import { formatAgo } from '../text/figures.ts';
import { t } from '../text/language.ts';
import { formatReceipt, formatTokenChange } from '../text/receiptText.ts';
import type { FollowedTranscript } from '../usage/usage.ts';
import { formatCompactionChange } from '../usage/windowChange.ts';

export interface FormatChoice {
	label: string;
	detail: string;
}

/** Returns the choice for each export format; formats from which an agent can continue come first. */
export function createFormatChoices(): Readonly<Record<ExportFormat, FormatChoice>> {
	return {
		'claude-code': createAgentChoice('Claude Code', 'claude --resume'),
		codex: createAgentChoice('Codex', 'codex resume'),
		opencode: createAgentChoice('OpenCode', 'opencode import'),
		pi: createAgentChoice('pi', 'pi --session'),
		'gemini-cli': createAgentChoice('Gemini CLI', 'gemini --session-file'),
		'copilot-cli': createAgentChoice('Copilot CLI', 'copilot --resume'),
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

function createAgentChoice(agent: string, command: string): FormatChoice {
	return { label: t('{0} Session', agent), detail: t('A session file for {0}', command) };
}

const jsonLinesFormats: readonly ExportFormat[] = [
	'claude-code',
	'codex',
	'pi',
	'gemini-cli',
	'copilot-cli',
	'contextd',
];

/** Returns the file extension for an export format, without a dot. */
export function getFileExtension(format: ExportFormat): 'json' | 'jsonl' {
	return jsonLinesFormats.includes(format) ? 'jsonl' : 'json';
}

/** Returns the name for an exported file; some agents find a session by its file name. */
export function createExportedFileName(
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
	return `compacted-history.${format}.${getFileExtension(format)}`;
}

/** A file with an exported history. */
export interface ExportedFile {
	format: ExportFormat;
	agentSessionId?: string;
	path: string;
	/** Path of the followed transcript; set only for Claude Code, which keeps all sessions of a project in one folder. */
	originalPath?: string;
}

/**
 * Returns the proposed path of an exported file: next to the original if Claude Code looks for sessions there, otherwise
 * in the home folder. Not in the workspace, where Git would list the file.
 */
export function proposePath(
	{ format, originalPath }: Pick<ExportedFile, 'format' | 'originalPath'>,
	fileName: string,
	homeFolder: string,
): string {
	const isNextToOriginal = format === 'claude-code' && originalPath !== undefined;
	return join(isNextToOriginal ? dirname(originalPath) : homeFolder, fileName);
}

/** Returns a path for a command line, in quotes if necessary. */
function quotePath(path: string): string {
	return /^[\w./\\:@-]+$/.test(path) ? path : `"${path}"`;
}

/** Returns the name of Claude Code's folder for the sessions of a project. */
export function toProjectFolderName(folder: string): string {
	return folder.replace(/[^a-zA-Z0-9]/g, '-');
}

/** Returns the name of Claude Code's folder for a project, from the path of a session's transcript. */
export function parseFolderName(transcript: string): string {
	return basename(dirname(transcript));
}

/** How to start an agent from a file. */
export interface AgentStart {
	/** A sentence that tells the user what to do. */
	hint: string;
	/** The command line that starts the agent. */
	command: string;
}

/** Returns the command if the format's agent can read a session from any path; undefined for other formats. */
function findPathCommand(format: ExportFormat, file: string, id: string | undefined): string | undefined {
	if (format === 'pi') return `pi --session ${file}`;
	if (format === 'gemini-cli') return `gemini --session-file ${file}`;
	if (format !== 'opencode' || id === undefined) return undefined;
	return `opencode import ${file} && opencode -s ${id}`;
}

/** Returns how to start an agent that reads sessions only from one folder for all projects; undefined for other formats. */
function describeFixedFolderStart(format: ExportFormat, id: string): AgentStart | undefined {
	const start = (folder: string, command: string): AgentStart => ({
		command,
		hint: t('Move it into {0}, then run “{1}”.', folder, command),
	});
	if (format === 'codex') return start('~/.codex/sessions', `codex resume ${id}`);
	return format === 'copilot-cli'
		? start(`~/.copilot/session-state/${id}`, `copilot --resume=${id}`)
		: undefined;
}

/** Returns how to start an agent from an exported file; undefined if no agent reads its format. */
export function describeAgentStart({
	format,
	agentSessionId,
	path,
	originalPath,
}: ExportedFile): AgentStart | undefined {
	const pathCommand = findPathCommand(format, quotePath(path), agentSessionId);
	if (pathCommand !== undefined)
		return { command: pathCommand, hint: t('Continue with “{0}”.', pathCommand) };
	if (agentSessionId === undefined) return undefined;
	const folderStart = describeFixedFolderStart(format, agentSessionId);
	if (folderStart !== undefined) return folderStart;
	if (format !== 'claude-code') return undefined;
	const command = `claude --resume ${agentSessionId}`;
	const folder = originalPath && dirname(originalPath);
	if (folder !== undefined && dirname(path) === folder)
		return { command, hint: t('Continue with “{0}”.', command) };
	const project = folder ?? t('the project’s folder in ~/.claude/projects');
	return { command, hint: t('Move it into {0}, then run “{1}”.', project, command) };
}

/** Returns an identity that all paths of the same file share; null if there is no file. */
async function readFileIdentity(path: string): Promise<string | null> {
	try {
		const { dev, ino } = await stat(path);
		return ino === 0 ? await realpath(path) : `${dev}:${ino}`;
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
		throw error;
	}
}

/**
 * Returns whether a path leads to the file that contains a transcript. The path of a session in a database consists of
 * the database's file, a `#` and the session's id.
 */
export async function isTranscriptFile(path: string, transcript: string): Promise<boolean> {
	const file = await readFileIdentity(path);
	if (file === null) return false;
	const files = await Promise.all([transcript, transcript.replace(/#[^#]*$/, '')].map(readFileIdentity));
	return files.includes(file);
}

interface ExportTexts {
	/** Title of the list of export options. */
	heading: string;
	/** Why the user may want to export the history. */
	explanation: string;
	/** First line of the exported text. */
	title: string;
}

/** Returns the texts for exporting a history, compacted or not. */
export function createExportTexts(
	compaction: CompactResult,
	{ followed, title }: { followed: FollowedTranscript; title?: string },
	stats?: ContextStats,
): ExportTexts {
	const name = followed.label;
	const sessionText = title ? t('“{0}” ({1})', title, name) : t('a session of {0}', name);
	const sizeText = formatTokens(compaction.tokensAfter);
	if (!compaction.compacted) {
		return {
			heading: t('History ({0} tokens)', sizeText),
			explanation: formatReceipt(compaction),
			title: t('History of {0}: {1} tokens.', sessionText, sizeText),
		};
	}
	return {
		heading: t('Compacted History: {0}', formatCompactionChange(stats, compaction)),
		explanation: t('{0} manages its own context: export the compacted history instead', name),
		title: t('Compacted history of {0}: {1} tokens.', sessionText, formatTokenChange(compaction)),
	};
}

/** Returns the newest compacted copy of a transcript; undefined if there is none. */
export function findNewestCopy(transcripts: readonly Transcript[], original: string): Transcript | undefined {
	const copies = transcripts.filter(({ copyOf }) => copyOf === original);
	return copies.sort((a, b) => getCreationTime(b) - getCreationTime(a))[0];
}

/** Returns when a copy was created, in milliseconds since the epoch: the time of its first message. */
function getCreationTime({ startedAt, updatedAt }: Transcript): number {
	return startedAt ?? updatedAt;
}

/**
 * Returns a text about an existing copy: its age, and whether its original has continued since. Times are in milliseconds
 * since the epoch.
 */
export function describeExistingCopy(
	copy: Transcript,
	{ activeAt, now }: { activeAt: number; now: number },
): string {
	const createdAt = getCreationTime(copy);
	const existsText = t('This session has a compacted copy already, created {0}.', formatAgo(now - createdAt));
	return activeAt > createdAt ? `${existsText} ${t('The session has continued since.')}` : existsText;
}

/**
 * Returns a text about a new copy, with the window before and after the compaction; with only the history's tokens if no
 * stats are known.
 */
export function describeNewCopy(compaction: CompactResult, stats: ContextStats | undefined): string {
	if (!compaction.compacted) return t('Created a copy of the session; there was nothing to compact.');
	return t('Created a compacted copy of the session: {0}.', formatCompactionChange(stats, compaction));
}
