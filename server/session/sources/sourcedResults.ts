/** Finds the visible results of files and commands in a session, and which of them may be cleared. */

import { computeTokensSavedByNote } from '../../core/compact/clearings.ts';
import { findShellRule } from '../../core/files/findTouches.ts';
import { toSlashedPath } from '../../core/files/folder.ts';
import { getOrInsert } from '../../core/getOrInsert.ts';
import type { Protection } from '../../core/history/protection.ts';
import type { RowTouch, Seq } from '../../core/history/record.ts';
import type { Row, Unit } from '../../core/history/row.ts';
import type { State } from '../../core/history/state.ts';
import { createToolMatcher } from '../../core/models/glob.ts';
import { itemsPerSlice, type SlicedTask } from '../../core/slices.ts';
import { findResults, type SourcedResult } from '../../core/sources/findResults.ts';
import { createFileNamer } from '../../core/sources/groups.ts';
import { readShellRun, type ShellRun } from '../../core/sources/shellRun.ts';
import { readRowMessages } from '../bodies.ts';
import { runInSlices } from '../services.ts';
import { type Session, selectMeasure } from '../session.ts';

/** The visible messages, and the rules that protect some of them from being cleared. */
export interface ClearingRules {
	/** The visible units; the array must not change while it is searched. */
	view: readonly Unit[];
	protection: Protection;
	/** Globs of tools whose results no stage removes. */
	protectedTools: readonly string[];
}

/** Returns the visible results that show files or come from commands, in order. Linear in the view, in slices. */
export async function findSourcedResults(
	session: Session,
	{ view, protection, protectedTools }: ClearingRules,
): Promise<SourcedResult[]> {
	const { state, services } = session;
	const { rows, meter } = state;
	const isProtectedTool = createToolMatcher(protectedTools);
	const getFileName = await runInSlices(createFileNamer(view, rows), services);
	const runs = await readRuns(session, await runInSlices(findShellResults(view, rows), services));
	const { countMessage } = selectMeasure(session);
	return runInSlices(
		findResults({
			view,
			rows,
			runs,
			announcedReads: await runInSlices(findAnnouncedReads(state, view), services),
			externallyChangedPaths: findExternalChanges(session, getFileName),
			getFileName,
			countNote(unit, note) {
				if (protection.rows.has(unit.from) || isProtectedTool(unit.row.tool ?? '')) return undefined;
				const counts = countMessage({ role: 'tool', content: note });
				return computeTokensSavedByNote(meter, unit, counts) > 0 ? counts : undefined;
			},
		}),
		services,
	);
}

/** Returns the paths of files that others changed after a read, by the row of the read. */
function findExternalChanges(
	session: Session,
	getFileName: (path: string) => string,
): Map<Seq, ReadonlySet<string>> {
	const pathsBySeq = new Map<Seq, Set<string>>();
	for (const { uri, messageId } of session.services.files?.listStaleReads(session) ?? []) {
		const seq = session.state.index.get(messageId);
		const path = toSlashedPath(uri);
		if (seq === undefined || path === undefined) continue;
		const paths = pathsBySeq.get(seq) ?? new Set();
		pathsBySeq.set(seq, paths.add(getFileName(path)));
	}
	return pathsBySeq;
}

/** Returns the reads that the client announced with the id of a message or call, by the row of their result. */
function* findAnnouncedReads(
	{ announcedReads, rows, index }: State,
	view: readonly Unit[],
): SlicedTask<Map<Seq, RowTouch[]>> {
	const touchesBySeq = new Map<Seq, RowTouch[]>();
	const byCall = new Map<string, RowTouch[]>();
	const add = <Key>(map: Map<Key, RowTouch[]>, key: Key, touch: RowTouch): void => {
		getOrInsert(map, key, () => []).push(touch);
	};
	for (const [position, { messageId, touch }] of announcedReads.entries()) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		const seq = messageId === undefined ? undefined : index.get(messageId);
		if (seq !== undefined) add(touchesBySeq, seq, touch);
		else if (touch.callId !== '') add(byCall, touch.callId, touch);
	}
	for (const [position, { from }] of byCall.size > 0 ? view.entries() : []) {
		if (position % itemsPerSlice === itemsPerSlice - 1) yield;
		const touches = byCall.get(rows[from]?.answers ?? '');
		if (touches) touchesBySeq.set(from, touches);
	}
	return touchesBySeq;
}

/** A result of a shell call, and the message with that call. */
interface ShellResultRow {
	seq: Seq;
	callId: string;
	caller: Row;
}

/** Returns the visible results of shell calls, except those that only show files. */
function* findShellResults(view: readonly Unit[], rows: readonly Row[]): SlicedTask<ShellResultRow[]> {
	const callers = new Map<string, Row>();
	const isShellByName = new Map<string, boolean>();
	const shellResults: ShellResultRow[] = [];
	for (const [index, { row, from }] of view.entries()) {
		if (index % itemsPerSlice === itemsPerSlice - 1) yield;
		for (const { id, name } of row.calls ?? []) {
			const runsCommand = isShellByName.get(name) ?? findShellRule(name) !== undefined;
			isShellByName.set(name, runsCommand);
			if (runsCommand) callers.set(id, row);
			else callers.delete(id);
		}
		const callId = row.role === 'tool' ? row.answers : undefined;
		const caller = callId === undefined ? undefined : callers.get(callId);
		if (callId === undefined || caller === undefined) continue;
		const { shows, isError } = rows[from] ?? {};
		if (isError || !shows || shows.some(({ mixed }) => mixed))
			shellResults.push({ seq: from, callId, caller });
	}
	return shellResults;
}

/** Number of results whose calls are read at once. */
const resultsPerPortion = 1000;

/** Reads the commands of shell results; returns them by the row of the result. */
async function readRuns(session: Session, results: readonly ShellResultRow[]): Promise<Map<Seq, ShellRun>> {
	const runs = new Map<Seq, ShellRun>();
	for (let index = 0; index < results.length; index += resultsPerPortion) {
		const portion = results.slice(index, index + resultsPerPortion);
		const callers = [...new Set(portion.map(({ caller }) => caller))];
		const messages = await readRowMessages(session, callers);
		const calls = new Map(
			callers.map((caller, position) => {
				const toolCalls = messages[position]?.message.toolCalls ?? [];
				return [caller, new Map(toolCalls.map((call) => [call.id, call]))];
			}),
		);
		for (const { seq, callId, caller } of portion) {
			const call = calls.get(caller)?.get(callId);
			const run = call && readShellRun(call);
			if (run) runs.set(seq, run);
		}
		await session.services.pause();
	}
	return runs;
}
