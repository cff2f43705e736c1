/** The history before and after a compaction, side by side. */

import * as vscode from 'vscode';
import type { CompactResult } from '../../server/protocol/compact.ts';
import { contextCompact, contextHistory } from '../../server/protocol/index.ts';
import { sidesOf } from './changes.ts';
import type { Daemon } from './daemon.ts';
import type { Documents } from './documents.ts';
import { tokensText } from './figures.ts';
import { historyText } from './historyText.ts';
import type { ChatMessage } from './message.ts';

export interface Sides {
	before: ChatMessage[];
	after: ChatMessage[];
}

/** Opens the two sides in the diff editor. */
export async function showSides(
	documents: Documents,
	sessionId: string,
	title: string,
	{ before, after }: Sides,
): Promise<void> {
	await vscode.commands.executeCommand(
		'vscode.diff',
		documents.put(sessionId, 'Before.md', historyText(before)),
		documents.put(sessionId, 'After.md', historyText(after)),
		title,
		{ preview: true },
	);
}

/** The history as it is now. */
export async function readHistory(daemon: Daemon, sessionId: string): Promise<ChatMessage[]> {
	const { messages } = await daemon.request(contextHistory, { sessionId, format: 'contextd' });
	return messages as ChatMessage[];
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

/** What a compaction would do; null while the session has no messages. */
export async function planCompaction(
	daemon: Daemon,
	sessionId: string,
	token: vscode.CancellationToken,
): Promise<{ result: CompactResult; sides: Sides } | null> {
	const before = await readHistory(daemon, sessionId);
	const params = { sessionId, dryRun: true, includeMessages: true, format: 'contextd' } as const;
	const result = await daemon.request(contextCompact, params, { token });
	return result && { result, sides: { before, after: (result.messages ?? before) as ChatMessage[] } };
}

/** The two sides of a compaction of the past. */
export async function pastSides(daemon: Daemon, sessionId: string, compactionId: string): Promise<Sides> {
	return sidesOf(await readFullHistory(daemon, sessionId), compactionId);
}

/** What a compaction saved, for a title. */
export function savingText({
	tokensBefore,
	tokensAfter,
}: Pick<CompactResult, 'tokensBefore' | 'tokensAfter'>): string {
	return `${tokensText(tokensBefore)} → ${tokensText(tokensAfter)}`;
}
