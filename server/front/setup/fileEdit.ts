/** Edits files of the user: adds marked lines, or one entry of a JSON file, and removes them again. */

import { tryParseJson } from '../../core/shape.ts';
import { addEntry, type EntryPath, readEntry, removeEntry } from '../install/parts/jsonText.ts';
import type { EditedFile } from './manifest.ts';
import { findMarkedLines, markLines, putMarkedLines, removeMarkedLines } from './markedLines.ts';

/** Adds lines or an entry of contextd to a file's text, and removes them. Texts are latin1, so that all bytes survive. */
export interface FileEdit {
	/** Path of the entry in a JSON file; absent for marked lines. */
	entry?: EntryPath;
	/** Describes why a text cannot be edited; undefined if it can. */
	findProblem(text: string): string | undefined;
	isApplied(text: string): boolean;
	/** Returns the text with contextd's lines or entry, which replace those of an earlier edit. */
	apply(text: string): string;
	/** Returns the text without contextd's lines or entry; the same text if it contains neither. */
	revert(text: string, record: Pick<EditedFile, 'saved' | 'lineEndAdded'> | undefined): string;
	/** Returns whether a text is empty after `revert`, so that the file can be deleted. */
	isEmptyText(text: string): boolean;
}

/** Returns the edit that puts lines between two marker comments. */
export function createLinesEdit(lines: readonly string[] = []): FileEdit {
	return {
		findProblem: (text) =>
			findMarkedLines(text) === 'broken'
				? 'has only one of the two marker comments of contextd: remove it with the lines that belong to it'
				: undefined,
		isApplied: (text) => findMarkedLines(text) !== undefined,
		apply: (text) => putMarkedLines(text, markLines(lines)),
		revert: (text, record) => removeMarkedLines(text, record?.lineEndAdded ?? false),
		isEmptyText: (text) => text === '',
	};
}

/** Returns the edit that adds an entry to a JSON file, which may have comments. */
export function createEntryEdit(entry: EntryPath, value: object = {}): FileEdit {
	const findProblem = (text: string): string | undefined => {
		try {
			readEntry(text, entry);
			return undefined;
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			return error.message;
		}
	};
	const isApplied = (text: string): boolean =>
		findProblem(text) === undefined && readEntry(text, entry) !== undefined;
	return {
		entry,
		findProblem,
		isApplied,
		apply: (text) => (isApplied(text) ? text : addEntry(text, entry, value)),
		revert: (text, record) => (isApplied(text) ? removeEntry(text, entry, isGroupNew(entry, record)) : text),
		isEmptyText: (text) => JSON.stringify(tryParseJson(text)?.value) === '{}',
	};
}

/** Returns whether a file lacked the group of an entry before setup added the entry. */
function isGroupNew([group]: EntryPath, record: Pick<EditedFile, 'saved'> | undefined): boolean {
	if (record === undefined) return false;
	const text = Buffer.from(record.saved ?? '', 'base64').toString('latin1');
	return !text.includes(JSON.stringify(group));
}

/** Returns the edit that a record describes. */
export function createRecordedEdit({ entry }: Pick<EditedFile, 'entry'>): FileEdit {
	return entry === undefined ? createLinesEdit() : createEntryEdit(entry);
}
