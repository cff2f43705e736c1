/** The history before and after a compaction, side by side. */

import * as vscode from 'vscode';
import type { CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextCompact, contextHistory, contextTimeline } from '../../../server/protocol/index.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { tokensText } from '../text/figures.ts';
import { firstDifference, historyText } from '../text/historyText.ts';
import { changedInPlace, plannedHistory, sidesOf, visibleOf } from './changes.ts';
import { type Documents, readOriginal } from './documents.ts';

/** Messages of which the original is read for a comparison. */
const mostOriginals = 200;

export interface Sides {
	before: ChatMessage[];
	after: ChatMessage[];
}

/** Opens the two sides in the diff editor; resolves once they are compared, which may take seconds. */
export async function showSides(
	documents: Documents,
	sessionId: string,
	title: string,
	{ before, after }: Sides,
	show: vscode.TextDocumentShowOptions = {},
): Promise<void> {
	const texts = { before: historyText(before), after: historyText(after) };
	const line = firstDifference(texts.before, texts.after);
	await vscode.commands.executeCommand(
		'vscode.diff',
		documents.put(sessionId, 'Before.md', texts.before),
		documents.put(sessionId, 'After.md', texts.after),
		title,
		{ preview: true, selection: new vscode.Range(line, 0, line, 0), ...show },
	);
}

/** Every message of a session, hidden ones with their tags. */
export async function readFullHistory(daemon: Daemon, sessionId: string): Promise<ChatMessage[]> {
	const { messages } = await daemon.request(contextHistory, {
		sessionId,
		format: 'contextd',
		includeHidden: true,
	});
	return messages as ChatMessage[];
}

/** The history as it is now, each message with its id. */
export async function readVisibleHistory(daemon: Daemon, sessionId: string): Promise<ChatMessage[]> {
	return visibleOf(await readFullHistory(daemon, sessionId));
}

/** What a compaction would do; null while the session has no messages. */
export async function planCompaction(
	daemon: Daemon,
	sessionId: string,
	token: vscode.CancellationToken,
): Promise<{ result: CompactResult; sides: Sides } | null> {
	const before = await readVisibleHistory(daemon, sessionId);
	const params = { sessionId, dryRun: true, format: 'contextd' as const };
	const result = await daemon.request(contextCompact, params, { token });
	return result && { result, sides: { before, after: plannedHistory(before, result) } };
}

/** The two sides of a compaction of the past. */
export async function pastSides(daemon: Daemon, sessionId: string, compactionId: string): Promise<Sides> {
	const [{ compactions }, full] = await Promise.all([
		daemon.request(contextTimeline, { sessionId }),
		readFullHistory(daemon, sessionId),
	]);
	const receipt = compactions.find((one) => one.compactionId === compactionId) ?? { removed: [] };
	const { before, after } = sidesOf(full, compactionId);
	const changed = changedInPlace(after, receipt).slice(0, mostOriginals);
	const originals = await Promise.all(
		changed.map(async (id) => [id, await readOriginal(daemon, sessionId, id)] as const),
	);
	const texts = new Map(originals);
	const whole = before.map((message) => {
		const content = texts.get(message.id ?? '');
		return content === undefined ? message : { ...message, content };
	});
	return { before: whole, after };
}

/** What a compaction saved, for a title. */
export function savingText({
	tokensBefore,
	tokensAfter,
}: Pick<CompactResult, 'tokensBefore' | 'tokensAfter'>): string {
	return `${tokensText(tokensBefore)} → ${tokensText(tokensAfter)}`;
}
