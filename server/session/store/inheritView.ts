/** Stores the view that a plugin sends to its model, and lets a forked session inherit it. */

import { Failure } from '../../core/failure.ts';
import { createLocationKey } from '../../core/files/folder.ts';
import type { JournalRecord } from '../../core/history/record.ts';
import { pickDefined, tryParseJson } from '../../core/shape.ts';
import { findPluginAgent } from '../../core/transcript/index.ts';
import type {
	HeldPrefix,
	HoldViewParams,
	HoldViewResult,
	InheritViewParams,
	InheritViewResult,
	JournalPosition,
} from '../../protocol/session.ts';
import { commit } from '../commit.ts';
import type { HeldViewHead, HeldViews, StoredRecord } from '../ports.ts';
import type { SessionServices } from '../services.ts';
import { requireWritableJournal, type Session } from '../session.ts';
import { getJournalPosition } from './sessions.ts';

/** Number of records copied before other tasks get a turn. */
const recordsPerSlice = 200;

/**
 * Copies the records of a fork's parent session, up to the parent's stored view, and returns that view.
 *
 * Does nothing if this session has messages, or has no agent or workspace. Takes as long as reading the other journal.
 */
export async function inheritView(
	session: Session,
	{ marks }: Pick<InheritViewParams, 'marks'>,
): Promise<InheritViewResult> {
	requireWritableJournal(session);
	const { state, services } = session;
	if (services.heldViews === undefined || state.rows.length > 0) return {};
	const parent = findParent(session, await services.heldViews.readNewestHeads(), marks);
	const heldView = parent && (await services.heldViews.read(parent.sessionId));
	// The parent may have changed or been deleted since its metadata was read.
	if (heldView === undefined || findParent(session, [heldView.head], marks) === undefined) return {};
	const records = await readRecords(services, heldView.head.sessionId, heldView.head.journal);
	if (records === undefined) return {};
	await copyRecords(session, records);
	return { view: tryParseJson(heldView.view)?.value };
}

/** Returns the metadata of the view that has the newest of `marks`, from another session of this agent and workspace. */
function findParent(
	{ id, state }: Session,
	heads: readonly HeldViewHead[],
	marks: readonly string[],
): HeldViewHead | undefined {
	const agent = findPluginAgent(id);
	const { workspace } = state.info;
	if (agent === undefined || workspace === undefined) return undefined;
	const folder = createLocationKey(workspace);
	const indexes = new Map(marks.map((mark, index) => [mark, index]));
	let bestMatch: { head: HeldViewHead; index: number } | undefined;
	for (const head of heads) {
		if (head.sessionId === id || findPluginAgent(head.sessionId) !== agent) continue;
		if (head.workspace === undefined || createLocationKey(head.workspace) !== folder) continue;
		const index = Math.max(-1, ...(head.marks ?? []).map((mark) => indexes.get(mark) ?? -1));
		if (index > (bestMatch?.index ?? -1)) bestMatch = { head, index };
	}
	return bestMatch?.head;
}

/** A record and the texts of its bodies. */
interface CopiedRecord {
	record: JournalRecord;
	bodies: string[];
}

/** Reads a journal up to a position; undefined if the journal or the position is missing, or a body is damaged. */
async function readRecords(
	services: SessionServices,
	sessionId: string,
	{ generation, records }: JournalPosition,
): Promise<CopiedRecord[] | undefined> {
	if (!(await services.journals.has(sessionId))) return undefined;
	const entries: StoredRecord[] = [];
	const journal = await services.journals.openReadOnly(sessionId, (record) => void entries.push(record));
	try {
		const prefix = entries.slice(0, records);
		const firstRecord = prefix[0]?.value as JournalRecord | undefined;
		if (prefix.length < records || firstRecord?.t !== 'open' || firstRecord.info.createdAt !== generation)
			return undefined;
		const texts = await journal.read(prefix.flatMap(({ bodies }) => bodies));
		const present = texts.filter((text) => text !== undefined);
		if (present.length < texts.length) return undefined;
		let usedCount = 0;
		return prefix.map(({ value, bodies }) => {
			const from = usedCount;
			usedCount += bodies.length;
			return { record: value as JournalRecord, bodies: present.slice(from, usedCount) };
		});
	} finally {
		await journal.close();
	}
}

async function copyRecords(session: Session, copiedRecords: readonly CopiedRecord[]): Promise<void> {
	const { sessionId, createdAt } = session.state.info;
	for (let start = 0; start < copiedRecords.length; start += recordsPerSlice) {
		const commits = copiedRecords.slice(start, start + recordsPerSlice).map(({ record, bodies }) => {
			const isOpening = record.t === 'open';
			const ownRecord = isOpening ? { ...record, info: { ...record.info, sessionId, createdAt } } : record;
			return commit(session, ownRecord, bodies);
		});
		await Promise.all(commits);
		await session.services.pause();
	}
}

/** Stores a view, or removes the stored view if `view` is null. The change is on disk when the promise resolves. */
export async function storeView(
	session: Session,
	{ view, behind, marks }: Omit<HoldViewParams, 'sessionId'>,
): Promise<HoldViewResult> {
	requireWritableJournal(session);
	const { heldViews } = session.services;
	if (!heldViews) return {};
	if (view === null) {
		await heldViews.remove(session.id);
		return {};
	}
	if (behind !== undefined && typeof view !== 'string')
		throw new Failure('InvalidParams', 'params.view: expected a text, since it is appended to another');
	const fullView = behind === undefined ? view : (await readBeginning(heldViews, session.id, behind)) + view;
	const { workspace } = session.state.info;
	const head = {
		sessionId: session.id,
		journal: getJournalPosition(session.state),
		...pickDefined({ workspace, marks }),
	};
	return heldViews.write(head, JSON.stringify(fullView));
}

/** Returns the beginning of the stored text that a new view keeps. */
async function readBeginning(
	heldViews: HeldViews,
	sessionId: string,
	{ checksum, units }: HeldPrefix,
): Promise<string> {
	const heldView = await heldViews.read(sessionId);
	const text = heldView?.checksum === checksum ? tryParseJson(heldView.view)?.value : undefined;
	if (typeof text !== 'string' || text.length < units)
		throw new Failure('InvalidParams', 'params.behind: another view is held');
	return text.slice(0, units);
}
