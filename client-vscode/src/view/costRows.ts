/** Lists the files and repeated commands whose results fill the window, largest first. */

import { formatTokens } from '../../../server/core/figures.ts';
import type { PinParams } from '../../../server/protocol/history.ts';
import type {
	CommandSource,
	FileSource,
	FreeSelection,
	SourcesResult,
} from '../../../server/protocol/sources.ts';
import type { StaleRead } from '../../../server/protocol/stats.ts';
import { t } from '../text/language.ts';
import { toPlainPath } from '../text/reads.ts';

/** The file or message to pin. Pinning a file keeps its newest read. */
export type PinTarget = Pick<PinParams, 'uris' | 'messageIds'>;

export interface CostRow {
	/** A key that is unique among all rows. */
	key: string;
	/** File name, or the command. */
	name: string;
	/** The file's folder, relative to the workspace folder, or the command's tool; may be empty. */
	location: string;
	/** Number of results, and how many are outdated or repeated. */
	facts: string;
	tokens: number;
	/** Tokens of results that are outdated or repeated. */
	freeableTokens: number;
	/** Selects the results for `context/compact`, which removes those that are outdated or repeated. */
	freeSelection: FreeSelection;
	/** Whether the file changed since its newest read. */
	isStale: boolean;
	/** Id of the newest result. */
	messageId: string;
	pinTarget: PinTarget;
	isPinned: boolean;
}

export interface SourceContext {
	/** Workspace folders as URIs. */
	folders: readonly string[];
	staleReads: readonly StaleRead[];
}

/** Returns a path with a lower-case drive letter, because Windows paths have drive letters in both cases. */
function normalizeDrive(path: string): string {
	return path.replace(/^\/?[a-z]:/i, (drive) => drive.toLowerCase());
}

/** Returns the name of a file, and its folder: relative to the workspace folder if the file is inside one. */
export function splitPath(uri: string, folders: readonly string[]): { name: string; folder: string } {
	const path = normalizeDrive(toPlainPath(uri));
	const roots = folders.map((folder) => normalizeDrive(toPlainPath(folder)).replace(/\/$/, ''));
	const root = roots.find((folder) => path.startsWith(`${folder}/`));
	const parts = (root === undefined ? path : path.slice(root.length + 1)).split('/');
	const name = parts.pop() ?? path;
	if (root !== undefined && roots.length > 1) parts.unshift(root.slice(root.lastIndexOf('/') + 1));
	return { name, folder: parts.join('/') };
}

function formatFreeable(tokens: number): string[] {
	return tokens > 0 ? [t('{0} of it outdated or repeated', formatTokens(tokens))] : [];
}

function toFileRow(source: FileSource, { folders, staleReads }: SourceContext): CostRow {
	const { uri, reads, tokens, freeableTokens, messageIds, isPinned = false } = source;
	const { name, folder } = splitPath(uri, folders);
	const count = reads === 1 ? t('1 read') : t('{0} reads', reads);
	const messageId = messageIds.at(-1) ?? '';
	return {
		key: `file ${uri}`,
		name,
		location: folder,
		facts: [count, ...formatFreeable(freeableTokens)].join(' · '),
		tokens,
		freeableTokens,
		freeSelection: { uris: [uri] },
		isStale: staleReads.some((read) => read.messageId === messageId),
		messageId,
		pinTarget: { uris: [uri] },
		isPinned,
	};
}

function toCommandRow(source: CommandSource): CostRow {
	const { command, toolName, runs, tokens, freeableTokens, messageIds, isPinned = false } = source;
	const messageId = messageIds.at(-1) ?? '';
	return {
		key: `command ${command}`,
		name: command,
		location: toolName,
		facts: [t('{0} runs', runs), ...formatFreeable(freeableTokens)].join(' · '),
		tokens,
		freeableTokens,
		freeSelection: { commands: [command] },
		isStale: false,
		messageId,
		pinTarget: { messageIds: [messageId] },
		isPinned,
	};
}

export interface CostRows {
	files: CostRow[];
	commands: CostRow[];
}

/** Returns a row for each file and each repeated command. */
export function createCostRows({ files, commands }: SourcesResult, context: SourceContext): CostRows {
	return {
		files: files.map((file) => toFileRow(file, context)),
		commands: commands.map(toCommandRow),
	};
}
