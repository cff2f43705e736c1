/** Reading files for a session: within what its window still holds, and not what the history shows already. */

import type { TokenMeasure } from '../core/files/cutAtLine.ts';
import { type AttachedFile, type FittedFiles, fitFiles } from '../core/files/fitFiles.ts';
import type { ReadAllowance } from '../core/files/fitRead.ts';
import { folderOf, uriOfPath } from '../core/files/folder.ts';
import { fileTokenBudget } from '../core/files/readPlan.ts';
import { resolvePath } from '../core/files/touches/path.ts';
import { truncateToTokenBudget } from '../core/measure/truncateToTokenBudget.ts';
import { budgetOf } from '../core/models/budget.ts';
import type { FileReader, ReadForWindow } from './fileReader.ts';
import type { FileTracker } from './fileTracker.ts';
import { commit, type Session, writable } from './session.ts';
import { type Overlay, standingOf } from './stats.ts';
import { defaultProvider, type SessionStore } from './store.ts';
import { type VisibleRead, visibleRead } from './visibleRead.ts';

/** What reading for sessions needs. */
export interface FileDesk {
	store: SessionStore;
	reader: FileReader;
	tracker: FileTracker;
	/** The folders that a session may read in, as paths. */
	folders(session: Session): readonly string[];
}

export interface ReadOrder {
	uri: string;
	/** From 1. */
	startLine?: number;
	/** Included. */
	endLine?: number;
	/** The call whose result the content will be. */
	toolCallId?: string;
}

export interface ReadAnswer {
	status: 'full' | 'truncated' | 'preview' | 'unchanged' | 'excluded';
	content: string;
	/** Tokens of the content. */
	tokens: number;
	totalLines: number;
	notice?: string;
	contentHash: string;
	priorMessageId?: string;
}

/**
 * Reads a file as far as the window has room for it, or says which message shows those lines already.
 * Rejects with `OutsideWorkspace`, `FileUnreadable`, or `InvalidParams` for lines that are no range.
 */
export async function readFile(
	desk: FileDesk,
	session: Session,
	order: ReadOrder,
	signal: AbortSignal,
): Promise<ReadAnswer> {
	const path = pathOf(session, order.uri);
	const { allowance, measure } = await roomOf(desk.store, session);
	const at = desk.store.world.now();
	const reading = await desk.reader.read({
		uri: path,
		startLine: order.startLine,
		endLine: order.endLine,
		workspaceFolders: desk.folders(session),
		allowance,
		measure,
		signal,
	});
	desk.tracker.track(session, path, uriOf(order.uri, path));
	const prior = await visibleRead(desk, session, reading, { ...order, path });
	signal.throwIfAborted();
	if (prior) return unchanged(reading, prior);
	if (reading.status !== 'excluded' && session.journal) {
		await record(desk, session, { ...reading, path, at }, order);
		desk.tracker.check(session, path, at);
	}
	const { status, content, tokens, totalLines, notice, contentHash } = reading;
	return { status, content, tokens, totalLines, ...(notice !== undefined && { notice }), contentHash };
}

function unchanged(reading: ReadForWindow, { messageId, from, to }: VisibleRead): ReadAnswer {
	const lines = `Lines ${from}-${Math.min(to, reading.totalLines)} of ${reading.totalLines}`;
	const { totalLines, contentHash } = reading;
	const notice = `[${reading.path} is unchanged: message ${messageId} shows it. ${lines}]`;
	return {
		status: 'unchanged',
		content: '',
		tokens: 0,
		totalLines,
		notice,
		contentHash,
		priorMessageId: messageId,
	};
}

async function record(
	desk: FileDesk,
	session: Session,
	reading: ReadForWindow & { at: number },
	{ toolCallId = '', endLine }: ReadOrder,
): Promise<void> {
	const { path, at, firstLine, lastLine, lastWholeLine, contentHash, status } = reading;
	const toEnd = status === 'full' && endLine === undefined;
	// Of a line that came in part nothing can be said to be known already.
	const isKnown = lastWholeLine >= firstLine || status === 'full';
	await commit(desk.store.world, session, {
		t: 'read',
		touch: {
			kind: 'read',
			path,
			callId: toolCallId,
			...(firstLine > 1 && { from: firstLine }),
			...(!toEnd && { to: isKnown ? lastWholeLine : lastLine }),
		},
		...(isKnown && { contentHash }),
		at,
	});
}

export interface AnnouncedOrder extends Omit<ReadOrder, 'toolCallId'> {
	contentHash?: string;
	/** The message that shows it. */
	messageId?: string;
}

/** Takes note of a read that the agent did itself. Rejects with `OutsideWorkspace`. */
export async function didReadFile(desk: FileDesk, session: Session, order: AnnouncedOrder): Promise<void> {
	writable(session);
	const { uri, startLine, endLine, contentHash, messageId } = order;
	const path = pathOf(session, uri);
	const { world } = desk.store;
	const at = world.now();
	await desk.reader.locate(path, desk.folders(session));
	desk.tracker.track(session, path, uriOf(uri, path));
	const shownBy = messageId ?? newestShowing(session, path);
	await commit(world, session, {
		t: 'read',
		touch: {
			kind: 'read',
			path,
			callId: '',
			...(startLine !== undefined && { from: startLine }),
			...(endLine !== undefined && { to: endLine }),
		},
		...(contentHash !== undefined && { contentHash }),
		...(shownBy !== undefined && { messageId: shownBy }),
		at,
	});
	// When it was read nobody knows; what was read, its hash tells.
	desk.tracker.check(session, path, contentHash === undefined ? at : 0);
}

/** A read may be announced after its message: one of the last turn that shows the file is taken for it. */
function newestShowing(session: Session, path: string): string | undefined {
	const { rows } = session.state;
	for (let at = rows.length - 1; at >= 0; at--) {
		const row = rows[at];
		if (row?.shows?.some((show) => show.path === path)) return row.id;
		if (row?.role !== 'tool') return undefined;
	}
	return undefined;
}

export interface FitOrder extends Pick<Overlay, 'provider' | 'model'> {
	files: readonly AttachedFile[];
	/** Tokens that the answer may take. */
	maxOutputTokens?: number;
	/** Tokens that the files may take, where the caller knows. */
	availableTokens?: number;
}

/** Fits attachments into what a session's window has for files, or into that of a model without a session. */
export async function fitAttachments(
	store: SessionStore,
	session: Session | undefined,
	order: FitOrder,
): Promise<FittedFiles> {
	const { files, maxOutputTokens, availableTokens, ...over } = order;
	const request = maxOutputTokens === undefined ? undefined : { maxOutputTokens };
	const { allowance, measure } = session
		? await roomOf(store, session, { ...over, request })
		: await emptyRoom(store, order);
	return fitFiles(files, availableTokens ?? allowance.budgetTokens, measure);
}

interface Room {
	allowance: ReadAllowance;
	measure: TokenMeasure;
}

async function roomOf(store: SessionStore, session: Session, overlay: Overlay = {}): Promise<Room> {
	const { budget, reading, meter, provider, model } = await standingOf(store, session, overlay);
	const room = { window: budget.contextWindow, current: reading.tokens, reserve: budget.outputReserve };
	return { allowance: allowanceOf(store, room), measure: measureOf(store, provider, model, meter.factor) };
}

async function emptyRoom(store: SessionStore, order: FitOrder): Promise<Room> {
	const settings = store.world.settings();
	const { provider = defaultProvider, model = '', maxOutputTokens } = order;
	await store.world.measures.ready(provider, model, settings.estimator);
	const budget = budgetOf({ provider, model, settings, maxOutputTokens, systemPrompt: 0 });
	const room = { window: budget.contextWindow, current: 0, reserve: budget.outputReserve };
	return { allowance: allowanceOf(store, room), measure: measureOf(store, provider, model, 1) };
}

function allowanceOf(
	store: SessionStore,
	{ window, current, reserve }: { window: number; current: number; reserve: number },
): ReadAllowance {
	const { fileReadBudgetPercent } = store.world.settings().compaction;
	return {
		budgetTokens: fileTokenBudget(window, current, reserve, fileReadBudgetPercent),
		remainingTokens: Math.max(0, window - current - reserve),
	};
}

/** Counts on the scale of the session's figures. */
function measureOf(store: SessionStore, provider: string, model: string, factor: number): TokenMeasure {
	const { measures, settings } = store.world;
	const measure = measures.for(provider, model, settings().estimator);
	return { count: (text) => Math.ceil(measure.countText(text) * factor), truncate: truncateToTokenBudget };
}

/** The absolute path that a URI or path names; a relative one is taken from the session's folder. */
function pathOf(session: Session, uri: string): string {
	return resolvePath(folderOf(session.state.info.workspace), folderOf(uri) ?? uri);
}

function uriOf(given: string, path: string): string {
	return given.startsWith('file:') ? given : uriOfPath(path);
}
