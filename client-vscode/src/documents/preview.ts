/** The history before and after a compaction, side by side. */

import * as vscode from 'vscode';
import type { CompactParams, CompactResult } from '../../../server/protocol/compact.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { contextCompact, contextTimeline } from '../../../server/protocol/index.ts';
import type { Daemon } from '../daemon/daemon.ts';
import { comparisonOf } from '../text/comparison.ts';
import { changedInPlace, plannedHistory, sidesOf, visibleOf } from './changes.ts';
import { type Documents, readFullHistory, readOriginal } from './documents.ts';

/** Maximum number of originals that are read for a comparison. */
const maxOriginals = 200;

/** Names of the right document of a comparison; the buttons above it depend on them. */
export const afterNames = { planned: 'After Compaction (Preview).md', past: 'After Compaction.md' } as const;

export interface Sides {
	before: ChatMessage[];
	after: ChatMessage[];
}

/** The title of a comparison, and what it compares. */
export type ComparisonOptions =
	| { title: string; kind: 'planned' }
	| { title: string; kind: 'past'; compactionId: string };

/** Opens both sides in the diff editor; resolves once they are compared. */
export async function showSides(
	documents: Documents,
	sessionId: string,
	options: ComparisonOptions,
	{ before, after }: Sides,
): Promise<void> {
	const compactionId = options.kind === 'past' ? options.compactionId : undefined;
	const texts = comparisonOf(before, after);
	const line = texts.firstChange;
	await vscode.commands.executeCommand(
		'vscode.diff',
		documents.put(sessionId, { name: 'Before Compaction.md', text: texts.before, messages: before }),
		documents.put(sessionId, {
			name: afterNames[options.kind],
			text: texts.after,
			messages: after,
			compactionId,
		}),
		options.title,
		{ preview: true, selection: new vscode.Range(line, 0, line, 0) },
	);
}

/** Reads the visible history; each message has its id. */
export async function readVisibleHistory(daemon: Daemon, sessionId: string): Promise<ChatMessage[]> {
	return visibleOf(await readFullHistory(daemon, sessionId));
}

/** Returns what a compaction would do; null if the session has no messages. */
export async function planCompaction(
	daemon: Daemon,
	params: CompactParams,
	token: vscode.CancellationToken,
): Promise<{ result: CompactResult; sides: Sides } | null> {
	const before = await readVisibleHistory(daemon, params.sessionId);
	const dryRun = { ...params, dryRun: true, format: 'contextd' as const };
	const result = await daemon.request(contextCompact, dryRun, { token });
	return result && { result, sides: { before, after: plannedHistory(before, result) } };
}

/** Returns the two sides of a past compaction. */
export async function pastSides(daemon: Daemon, sessionId: string, compactionId: string): Promise<Sides> {
	const [{ compactions }, full] = await Promise.all([
		daemon.request(contextTimeline, { sessionId }),
		readFullHistory(daemon, sessionId),
	]);
	const receipt = compactions.find((one) => one.compactionId === compactionId) ?? { removed: [] };
	const { before, after } = sidesOf(full, compactionId);
	const changed = changedInPlace(after, receipt).slice(0, maxOriginals);
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
