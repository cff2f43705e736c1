/** Our part of a file of the user: marked lines, or one entry of a JSON file. */

import { tryParseJson } from '../../core/shape.ts';
import { type EntryPath, entryIn, withEntry, withoutEntry } from './jsonEntry.ts';
import type { EditedFile } from './manifest.ts';
import { findMarkedLines, markLines, withMarkedLines, withoutMarkedLines } from './markedLines.ts';

/** How our part is found, added and removed. Texts are in latin1, so that all bytes survive. */
export interface FileEdit {
	/** The entry, in a JSON file. */
	entry?: EntryPath;
	/** Why a text cannot be edited; undefined if it can. */
	problemIn(text: string): string | undefined;
	isIn(text: string): boolean;
	/** Returns the text with our part, in place of an earlier one. */
	addTo(text: string): string;
	/** Returns the text without our part; the same text if there is none. */
	removeFrom(text: string, record: Pick<EditedFile, 'saved' | 'lineEndAdded'> | undefined): string;
	/** Whether a file is empty after our part is removed, so that it can be deleted. */
	isEmpty(text: string): boolean;
}

/** Returns the edit that puts lines between two marker comments. */
export function linesEdit(lines: readonly string[] = []): FileEdit {
	return {
		problemIn: (text) =>
			findMarkedLines(text) === 'broken'
				? 'has only one of the two marker comments of contextd: remove it with the lines that belong to it'
				: undefined,
		isIn: (text) => findMarkedLines(text) !== undefined,
		addTo: (text) => withMarkedLines(text, markLines(lines)),
		removeFrom: (text, record) => withoutMarkedLines(text, record?.lineEndAdded ?? false),
		isEmpty: (text) => text === '',
	};
}

/** Returns the edit that adds an entry to a JSON file, which may have comments. */
export function entryEdit(entry: EntryPath, value: object = {}): FileEdit {
	const problemIn = (text: string): string | undefined => {
		try {
			entryIn(text, entry);
			return undefined;
		} catch (error) {
			if (!(error instanceof SyntaxError)) throw error;
			return error.message;
		}
	};
	const isIn = (text: string): boolean => problemIn(text) === undefined && entryIn(text, entry) !== undefined;
	return {
		entry,
		problemIn,
		isIn,
		addTo: (text) => (isIn(text) ? text : withEntry(text, entry, value)),
		removeFrom: (text, record) => (isIn(text) ? withoutEntry(text, entry, isGroupNew(entry, record)) : text),
		isEmpty: (text) => JSON.stringify(tryParseJson(text)?.value) === '{}',
	};
}

/** Whether a file had no group before setup added the entry. */
function isGroupNew([group]: EntryPath, record: Pick<EditedFile, 'saved'> | undefined): boolean {
	if (record === undefined) return false;
	const text = Buffer.from(record.saved ?? '', 'base64').toString('latin1');
	return !text.includes(JSON.stringify(group));
}

/** Returns the edit that a record describes. */
export function editOf({ entry }: Pick<EditedFile, 'entry'>): FileEdit {
	return entry === undefined ? linesEdit() : entryEdit(entry);
}
