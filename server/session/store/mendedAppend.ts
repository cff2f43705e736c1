/** Messages out of what is left of the records that once appended them. */

import { Failure } from '../../core/failure.ts';
import { folderOf } from '../../core/files/folder.ts';
import type { JournalRecord } from '../../core/history/record.ts';
import type { State } from '../../core/history/state.ts';
import { finish } from '../../core/slices.ts';
import type { ChatMessage, FormatName } from '../../protocol/conversation.ts';
import { decodeBody } from '../body.ts';
import { type IngestContext, ingestMixed } from '../ingest.ts';
import type { LostLine, Mended } from '../ports.ts';
import type { World } from '../world.ts';

/** A message to take in again. */
interface Found {
	raw: unknown;
	format: FormatName;
	/** It only stands for one that is gone. */
	isNote?: true;
}

/**
 * The record that stands for lost ones: every message whose body is left, and a note for each that is not. Where it is
 * known which row comes next, there are as many rows as are missing before it. Undefined where no message was lost.
 *
 * @param nextRow the ordinal of the first row behind them.
 */
export async function mendedAppend(
	world: Pick<World, 'measures' | 'settings' | 'digest'>,
	state: State,
	lines: readonly LostLine[],
	nextRow: number | undefined,
): Promise<Mended | undefined> {
	const missing = nextRow === undefined ? undefined : nextRow - state.rows.length;
	if (missing !== undefined && missing <= 0) return undefined;
	const context = await contextOf(world, state);
	const found = foundMessages(lines, state, context, missing === undefined ? undefined : 'append');
	if (missing !== undefined) fitTo(found, missing, context);
	const { rows, bodies } = finish(ingestMixed(found, context));
	if (rows.length === 0) return undefined;
	const kept = rows.slice(0, missing);
	const record: JournalRecord = { t: 'append', at: state.updatedAt, rows: kept, from: state.rows.length };
	return { value: record, bodies: bodies.slice(0, (kept.at(-1)?.body ?? -1) + 1) };
}

async function contextOf(
	world: Pick<World, 'measures' | 'settings' | 'digest'>,
	state: State,
): Promise<IngestContext> {
	const { provider, model, workspace } = state.info;
	const { estimator } = world.settings();
	await world.measures.ready(provider, model, estimator);
	const measure = world.measures.for(provider, model, estimator);
	return { state, measure, digest: world.digest, folder: folderOf(workspace) };
}

/** Leaves as many notes as make up the rows that are missing. What lies nearest to the next record is known best. */
function fitTo(found: Found[], missing: number, context: IngestContext): void {
	let rows = finish(ingestMixed(found, context)).rows.length;
	for (; rows < missing; rows++) found.unshift(note());
	for (; rows > missing; rows--) {
		const first = found.findIndex(({ isNote }) => isNote);
		if (first < 0) return;
		found.splice(first, 1);
	}
}

/**
 * The messages of lines, in order; a note for each body of an append that cannot be read.
 *
 * @param unknown what records are whose header does not say it.
 */
function foundMessages(
	lines: readonly LostLine[],
	state: State,
	context: IngestContext,
	unknown: 'append' | undefined,
): Found[] {
	const found: Found[] = [];
	const ids = new Set<string>();
	let kind: string | undefined = unknown;
	for (const { text, isSound } of lines) {
		if (!isSound && text !== '') {
			kind = /"record":\{"t":"([a-z]+)"/.exec(text)?.[1] ?? unknown;
			continue;
		}
		if (kind !== undefined && kind !== 'append') continue;
		const message = isSound ? messageIn(text, context) : undefined;
		if (message === undefined) {
			// Of a record that may have been another kind of record, nothing is made up.
			if (kind === 'append') found.push(note());
			continue;
		}
		if (kind === undefined && message.isMade) continue;
		if (message.id !== undefined && (state.index.has(message.id) || ids.has(message.id))) continue;
		if (message.id !== undefined) ids.add(message.id);
		found.push(message);
	}
	return found;
}

/** The message that a body holds; undefined where it holds none. */
function messageIn(
	text: string,
	context: IngestContext,
): (Found & { id?: string; isMade: boolean }) | undefined {
	try {
		const { raw, format, messages } = decodeBody(text);
		finish(ingestMixed([{ raw, format }], context));
		const id = messages.find((message) => message.id !== undefined)?.id;
		return { raw, format, isMade: messages.some(isMade), ...(id !== undefined && { id }) };
	} catch (error) {
		if (error instanceof SyntaxError || error instanceof Failure) return undefined;
		throw error;
	}
}

/** Whether the daemon made a message itself, to stand for others. */
function isMade({ metadata }: ChatMessage): boolean {
	return ['isSummary', 'isTruncationMarker', 'synthetic', 'truncated'].some(
		(name) => metadata?.[name] === true,
	);
}

/** What stands for a message that is gone. It was typed by nobody, so that it is no request and no rule. */
function note(): Found {
	const content = '[A message is lost: its record on disk was damaged]';
	return {
		raw: { role: 'user', content, metadata: { injected: true, synthetic: true, damaged: true } },
		format: 'contextd',
		isNote: true,
	};
}
