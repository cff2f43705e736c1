/** What the Context Usage view shows, as plain data. */

import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import type { ContextState, TimelineResult } from '../../../server/protocol/stats.ts';
import type { Receipt } from '../documents/changes.ts';
import { type CategoryShare, categoriesOf, headroom, roomLeft, sourceText } from '../text/categories.ts';
import { tokensText } from '../text/figures.ts';
import { messageLabel } from '../text/historyText.ts';
import { meterText } from '../usage/statusBarText.ts';
import { isWritable, type Reading, type ShownSession } from '../usage/usage.ts';

export interface RemovedRow {
	messageId: string;
	what: string;
	change: string;
	/** Tokens saved on it, where that is known. */
	tokens: number | null;
}

export interface CompactionRow {
	compactionId: string;
	/** Milliseconds since the epoch. */
	at: number;
	saving: string;
	stages: string;
	undone: boolean;
	removed: RemovedRow[];
}

export interface ViewModel {
	title: string;
	model: string;
	/** Whose transcript is followed; empty where an agent feeds the session. */
	follows: string;
	readOnly: boolean;
	percent: string;
	state: ContextState;
	used: string;
	source: string;
	/** When the figures came. Milliseconds since the epoch. */
	at: number;
	headroom: string;
	categories: CategoryShare[];
	/** Share of the available tokens at which compaction is due; null where that is the agent's own business. */
	threshold: number | null;
	/** Share of the available tokens after each turn, and at last as it is now. */
	points: { at: number; ratio: number }[];
	/** When compactions were. Milliseconds since the epoch. */
	marks: { at: number; undone: boolean }[];
	largest: { messageId: string; what: string; tokens: number; text: string }[];
	files: FileRead[];
	compactions: CompactionRow[];
}

export interface ViewSources {
	session: ShownSession;
	reading: Reading;
	timeline: TimelineResult;
	/** Every message, hidden ones tagged. */
	full: readonly ChatMessage[];
}

/** Points of the chart that are kept; more cannot be told apart. */
const mostPoints = 400;
const mostRemoved = 200;

const changeWords = { hidden: 'removed', shortened: 'shortened', replaced: 'replaced' } as const;

function removedRows(removed: Receipt['removed']): RemovedRow[] {
	return removed.slice(0, mostRemoved).map(({ messageId, change, tokens, role, toolName }) => ({
		messageId,
		what: toolName ?? role,
		change: changeWords[change],
		tokens,
	}));
}

/** Every so many points, the last one always. */
function thinned<Point>(points: readonly Point[]): Point[] {
	const step = Math.ceil(points.length / mostPoints);
	return step <= 1 ? [...points] : points.filter((_, index) => (points.length - 1 - index) % step === 0);
}

/** Compactions and undone ones since the last turn show in it. */
function now({ stats, at }: Reading): { at: number; ratio: number } {
	return { at, ratio: stats.usageRatio };
}

function headroomText({ followed }: ShownSession, { stats }: Reading): string {
	if (followed) {
		const left = `${tokensText(roomLeft(stats))} tokens`;
		return stats.limit.compacts === 'agent' ? `${left} until ${followed.label} compacts` : `${left} left`;
	}
	const left = headroom(stats);
	return left > 0 ? `${tokensText(left)} tokens until auto-compaction` : 'auto-compaction is due';
}

/** Puts together what the view shows. */
export function viewModel({ session, reading, timeline, full }: ViewSources): ViewModel {
	const { stats } = reading;
	const byId = new Map(full.map((message) => [message.id, message]));
	return {
		title: session.title ?? '',
		model: stats.model || 'unknown model',
		follows: session.followed ? session.followed.label : '',
		readOnly: !isWritable(session),
		percent: meterText(stats),
		state: stats.state,
		used: `${tokensText(stats.estimatedInputTokens)} of ${tokensText(stats.availableInputTokens)} tokens`,
		source: sourceText(stats),
		at: stats.lastActivityAt ?? reading.at,
		headroom: headroomText(session, reading),
		categories: categoriesOf(stats),
		threshold: session.followed ? null : stats.thresholds.compact,
		points: [
			...thinned(timeline.points).map(({ at, usageRatio }) => ({ at, ratio: usageRatio })),
			now(reading),
		],
		marks: timeline.compactions.map(({ at, undone }) => ({ at, undone })),
		largest: stats.largest.map(({ messageId, role, toolName, tokens }) => {
			const message = byId.get(messageId);
			return { messageId, what: toolName ?? role, tokens, text: message ? messageLabel(message).detail : '' };
		}),
		files: fileReadsOf(full, stats.staleReads),
		compactions: timeline.compactions
			.map((compaction) => ({
				compactionId: compaction.compactionId,
				at: compaction.at,
				saving: `${tokensText(compaction.tokensBefore)} → ${tokensText(compaction.tokensAfter)} tokens`,
				stages: compaction.stagesUsed.join(', '),
				undone: compaction.undone,
				removed: removedRows(compaction.removed),
			}))
			.reverse(),
	};
}

interface FileRead {
	path: string;
	/** Visible reads. */
	reads: number;
	/** The newest visible read: its result. */
	messageId: string;
	/** Changed since it was read. */
	stale: boolean;
}

const pathArguments = ['path', 'file_path', 'filePath', 'uri', 'target_file', 'absolute_path', 'filename'];
const readingTool = /read|view|open|cat\b/i;

function pathIn(args: unknown): string | null {
	if (typeof args !== 'object' || args === null) return null;
	for (const name of pathArguments) {
		const value = (args as Record<string, unknown>)[name];
		if (typeof value === 'string' && value !== '') return value;
	}
	return null;
}

function isHidden(message: ChatMessage): boolean {
	return (
		message.condenseParent !== undefined ||
		message.truncationParent !== undefined ||
		message.metadata?.cutBy !== undefined
	);
}

/** The path that a `file:` URI names; other texts as they are. */
function plainPath(path: string): string {
	if (!path.startsWith('file://')) return path;
	try {
		return decodeURIComponent(path.slice('file://'.length));
	} catch {
		return path;
	}
}

/** Files whose reads are visible, stale ones first, then by path. */
export function fileReadsOf(
	full: readonly ChatMessage[],
	staleReads: readonly { uri: string; messageId: string }[],
): FileRead[] {
	const calls = new Map<string, string>();
	const files = new Map<string, FileRead>();
	const stale = new Set(staleReads.map(({ messageId }) => messageId));
	const note = (path: string, messageId: string): void => {
		const file = files.get(path) ?? { path, reads: 0, messageId, stale: false };
		files.set(path, { ...file, reads: file.reads + 1, messageId, stale: file.stale || stale.has(messageId) });
	};
	for (const message of full) {
		for (const { id, name, args } of message.toolCalls ?? []) {
			const path = readingTool.test(name) ? pathIn(args) : null;
			if (path !== null) calls.set(id, plainPath(path));
		}
		const path = message.toolCallId === undefined ? undefined : calls.get(message.toolCallId);
		if (path !== undefined && message.id !== undefined && !isHidden(message)) note(path, message.id);
	}
	const known = new Set([...files.values()].map(({ messageId }) => messageId));
	for (const { uri, messageId } of staleReads) {
		if (known.has(messageId)) continue;
		const path = plainPath(uri);
		files.set(path, { path, reads: files.get(path)?.reads ?? 1, messageId, stale: true });
	}
	return [...files.values()].sort((a, b) => Number(b.stale) - Number(a.stale) || (a.path < b.path ? -1 : 1));
}
