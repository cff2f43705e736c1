/** Writes a damaged journal anew out of what is sound in it. */

import { type FileHandle, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { LostLine, Mend, Mended, Salvaged, StoredRecord } from '../../session/ports.ts';
import type { JournalFile } from './bodies.ts';
import { keepCopy } from './copies.ts';
import { copyStretch } from './copyStretch.ts';
import { storageFailure } from './failure.ts';
import { type OpenFile, openDraft, syncFolder } from './folder.ts';
import { encodeFormatLine, encodeRecord } from './format.ts';
import { lostLines } from './lostLines.ts';
import { type ScannedRecord, scanRecords } from './scanner.ts';
import { type JournalPiece, type LostStretch, type Run, runsOf, type Stretch } from './survey.ts';

/** What a journal is written anew with. */
export interface SalvageOptions {
	openFile: OpenFile;
	each: (record: StoredRecord) => void;
	mend: Mend;
}

/** Where a new journal is being written. */
interface NewJournal {
	handle: FileHandle;
	/** Bytes so far. */
	size: number;
	lostBytes: number;
}

/**
 * Puts a new journal in the place of a damaged one: its first `soundBytes`, the pieces that were found behind them, and
 * what can be made of what is lost between; the damaged one stays beside it. `file.handle` becomes the new one. The
 * records of the pieces are handed to `each`. Gives the size of the new journal in bytes, and what was lost.
 *
 * @throws Failure `StorageFailed` when it cannot be written; then the file is as it was.
 */
export async function salvage(
	file: JournalFile,
	soundBytes: number,
	pieces: readonly JournalPiece[],
	options: SalvageOptions,
): Promise<{ size: number; salvaged: Salvaged }> {
	const { path } = file;
	const draftPath = `${path}.new`;
	const draft: NewJournal = { handle: await openDraft(options.openFile, draftPath), size: 0, lostBytes: 0 };
	try {
		if (soundBytes === 0) await put(draft, encodeFormatLine(file.sessionId));
		else await carryOver(file, draft, { from: 0, to: soundBytes });
		await writePieces(file, draft, pieces, options);
		await draft.handle.datasync();
		const copy = await keepCopy(path);
		await rename(draftPath, path);
		await syncFolder(dirname(path));
		const damaged = file.handle;
		file.handle = draft.handle;
		await damaged.close();
		return { size: draft.size, salvaged: { lostBytes: draft.lostBytes, copy } };
	} catch (error) {
		if (file.handle !== draft.handle) await draft.handle.close();
		throw storageFailure('write anew', path, error);
	}
}

async function writePieces(
	file: JournalFile,
	draft: NewJournal,
	pieces: readonly JournalPiece[],
	{ each, mend }: Pick<SalvageOptions, 'each' | 'mend'>,
): Promise<void> {
	let lost: LostStretch | undefined;
	for (const run of runsOf(pieces)) {
		if (run.kind === 'lost') {
			lost = run;
			continue;
		}
		const records: ScannedRecord[] = [];
		await scanRecords(file, run.from, run.to + run.missing, (record) => void records.push(record));
		const following = records.map(({ value }) => value);
		if (lost) await writeMended(file, draft, lost, following, { each, mend });
		lost = undefined;
		const shift = draft.size - run.from;
		await writeRun(file, draft, run);
		for (const { value, bodies } of records) {
			each({ value, bodies: bodies.map((ref) => ({ ...ref, offset: ref.offset + shift })) });
		}
	}
	if (lost) await writeMended(file, draft, lost, [], { each, mend });
}

/** Writes what stands in for a lost stretch. */
async function writeMended(
	file: JournalFile,
	draft: NewJournal,
	stretch: LostStretch,
	following: readonly unknown[],
	{ each, mend }: Pick<SalvageOptions, 'each' | 'mend'>,
): Promise<void> {
	const { lines, bytes } = await lostLines(file, stretch);
	const mended = lines.length === 0 ? undefined : await mend(lines, following);
	draft.lostBytes += bytes - usedOf(lines, mended);
	if (mended === undefined) return;
	const { header, bodies, refs } = encodeRecord(
		mended.value,
		mended.bodies,
		draft.size,
		'first of its group',
	);
	await put(draft, Buffer.concat([header, bodies]));
	each({ value: mended.value, bodies: refs });
}

/** Bytes of lines that stand in what was made of them. */
function usedOf(lines: readonly LostLine[], mended: Mended | undefined): number {
	const bodies = new Set(mended?.bodies);
	const used = lines.filter(({ text, isSound }) => isSound && bodies.has(text));
	return used.reduce((sum, { text }) => sum + Buffer.byteLength(text) + 1, 0);
}

/** Writes records as they stand; what is missing becomes blank, so that every body keeps its place. */
async function writeRun(file: JournalFile, draft: NewJournal, run: Run): Promise<void> {
	await carryOver(file, draft, run);
	if (run.missing === 0) return;
	draft.lostBytes += run.missing;
	await put(draft, Buffer.from(`${' '.repeat(run.missing - 1)}\n`));
}

async function carryOver(file: JournalFile, draft: NewJournal, stretch: Stretch): Promise<void> {
	await copyStretch(file.handle, draft.handle, stretch);
	draft.size += stretch.to - stretch.from;
}

async function put(draft: NewJournal, bytes: Buffer): Promise<void> {
	await draft.handle.writeFile(bytes);
	draft.size += bytes.length;
}
