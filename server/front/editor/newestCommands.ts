/** Commands for editors that need no argument, because they act on the newest session of the editor's folders. */

import { formatShare, formatTokens } from '../../core/figures.ts';
import { toWholeRequest } from '../../core/meter/reading.ts';
import { contextCompact, contextUndo } from '../../protocol/compact.ts';
import { contextReport } from '../../protocol/report.ts';
import { type NewestSession, sessionNewest } from '../../protocol/session.ts';
import { type ContextStats, contextStats } from '../../protocol/stats.ts';
import type { CommandDaemon } from '../console/daemon.ts';
import { rankCategories } from '../output/categories.ts';
import { makePrintable } from '../output/printable.ts';
import { formatRatio } from '../output/statsView.ts';
import { clipText } from '../output/width.ts';

/** What an editor shows after a command. */
export interface EditorAnswer {
	message: string;
	/** A text to open, if the editor can open documents. */
	document?: string;
}

type Daemon = Pick<CommandDaemon, 'request'>;
type NewestCommand = (daemon: Daemon, session: NewestSession) => Promise<EditorAnswer>;

const maxTitleColumns = 60;
/** Maximum number of categories that a message names. */
const maxShownCategories = 2;

const noMessagesAnswer: EditorAnswer = { message: 'The newest session has no messages yet.' };

/** Returns the session's title, quoted and clipped; its id if it has none. */
function quoteTitle({ title, sessionId }: NewestSession): string {
	return `"${clipText(makePrintable(title ?? sessionId).trim(), maxTitleColumns)}"`;
}

function describeUsage(stats: ContextStats): string {
	const { estimatedInputTokens: used, availableInputTokens: available } = stats;
	const free = available - used;
	const remainingText = free >= 0 ? `${formatTokens(free)} left` : `${formatTokens(-free)} too many`;
	const largest = rankCategories(stats)
		.sort((a, b) => b.tokens - a.tokens)
		.slice(0, maxShownCategories)
		.map(({ label, tokens }) => `${label.toLowerCase()} ${formatShare(tokens, used)}`);
	return `${formatRatio(stats)} full: ${formatTokens(used)} of ${formatTokens(available)} tokens, ${remainingText}; mostly ${largest.join(', ')}`;
}

const showUsage: NewestCommand = async (daemon, session) => {
	const { sessionId, mirror } = session;
	const stats = await daemon.request(contextStats, { sessionId });
	if (stats === null) return noMessagesAnswer;
	const { text } = await daemon.request(contextReport, { sessionId });
	const advice = mirror === undefined ? '' : `\n${mirror.advice}\n`;
	return {
		message: `${describeUsage(stats)} · ${quoteTitle(session)}`,
		document: `${quoteTitle(session)}\n\n${text}${advice}`,
	};
};

const compactNewest: NewestCommand = async (daemon, session) => {
	const { sessionId, mirror } = session;
	const params = { sessionId, includeMessages: false, dryRun: mirror !== undefined };
	const result = await daemon.request(contextCompact, params);
	const stats = await daemon.request(contextStats, { sessionId });
	if (result === null || stats === null) return noMessagesAnswer;
	if (!result.compacted)
		return { message: `Nothing was compacted: ${makePrintable(result.reason ?? result.outcome)}` };
	if (mirror !== undefined) {
		const savedText = formatTokens(result.tokensSaved);
		return {
			message: `${mirror.advice} (nothing was changed; a compaction would free ${savedText} tokens)`,
		};
	}
	const { tokensBefore, tokensAfter } = toWholeRequest(result, stats);
	return {
		message: `Compacted ${quoteTitle(session)} from ${formatTokens(tokensBefore)} to ${formatTokens(tokensAfter)} tokens. The command contextd.undoNewest undoes it.`,
	};
};

const undoNewest: NewestCommand = async (daemon, session) => {
	const { sessionId, mirror } = session;
	if (mirror !== undefined) {
		return {
			message: `contextd has nothing to undo in ${quoteTitle(session)}: only ${mirror.label} can change this session.`,
		};
	}
	const before = await daemon.request(contextStats, { sessionId });
	if (!before?.undoable) return { message: `There is nothing to undo in ${quoteTitle(session)}.` };
	const { compactionId } = before.undoable;
	const { stats } = await daemon.request(contextUndo, { sessionId, compactionId });
	const now = stats === null ? '' : ` Now ${describeUsage(stats)}`;
	return { message: `Undid the newest compaction.${now} · ${quoteTitle(session)}` };
};

const commandByName: ReadonlyMap<string, NewestCommand> = new Map([
	['contextd.showUsage', showUsage],
	['contextd.compactNewest', compactNewest],
	['contextd.undoNewest', undoNewest],
]);

/** Runs a command on the newest session of the client's folders. Rejects with the error of a failed request. */
export async function runNewestCommand(name: string, daemon: Daemon): Promise<EditorAnswer> {
	const command = commandByName.get(name);
	if (command === undefined) throw new TypeError(`there is no command ${name}`);
	const { session } = await daemon.request(sessionNewest, {});
	if (session !== null) return command(daemon, session);
	return { message: 'No agent has worked in this folder yet, so there is no context to measure or compact.' };
}
