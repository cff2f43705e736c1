/** Finds rows of JSON files whose members were edited after the file was read. */

import { getOrInsert } from '../../getOrInsert.ts';
import { isFields } from '../../shape.ts';
import { computeLineKey } from '../message/lineKeys.ts';
import type { DataRow } from '../message/source.ts';
import type { FileLines } from './fileLines.ts';

/** A row with the JSON file that contains it. */
export interface ReadRow {
	path: string;
	row: DataRow;
}

/** Returns the keys of the lines of a formatted JSON file that contain a row's members. O(members). */
export function listMemberKeys({ fields }: DataRow): number[] {
	return listMembers(fields).map(({ key }) => key);
}

/** Returns the lines of rows that show a member that its file no longer has, by path. O(length of the rows). */
export function findEditedRows(rows: readonly ReadRow[], files: FileLines): Map<string, Set<string>> {
	const editedLines = new Map<string, Set<string>>();
	for (const { path, row } of rows) {
		const editedMembers = new Set(
			listMembers(row.fields).flatMap(({ text, key }) =>
				files.isPresent(path, key) === false ? [text] : [],
			),
		);
		if (editedMembers.size === 0) continue;
		const lines = getOrInsert(editedLines, path, () => new Set<string>());
		for (const line of row.lines)
			if (splitMembers(line).some((text) => editedMembers.has(text))) lines.add(line);
	}
	return editedLines;
}

/** Splits a line of a row into its label and members, without quotation marks: `ports`, `admin 8080`. */
function splitMembers(line: string): string[] {
	return line.replaceAll('"', '').split(/[,:] |[[\]{}]/);
}

/** A member with a simple value. */
interface Member {
	/** The member as a line of a row shows it, up to the first comma, colon or bracket: `admin 8080`. */
	text: string;
	/** The key of the member's line in a formatted file. */
	key: number;
}

/** Returns the members with simple values in a row and in the objects below it. Omits short lines. */
function listMembers(fields: unknown): Member[] {
	const members: Member[] = [];
	const open: unknown[] = [fields];
	while (open.length > 0) {
		const value = open.pop();
		if (Array.isArray(value)) for (const one of value) open.push(one);
		else if (isFields(value))
			for (const [name, member] of Object.entries(value)) {
				if (typeof member === 'object') open.push(member);
				else members.push(createMember(name, member));
			}
	}
	return members.filter(({ key }) => key !== 0);
}

function createMember(name: string, value: unknown): Member {
	const [text = ''] = splitMembers(`${name} ${value}`);
	return { text, key: computeLineKey(`${JSON.stringify(name)}: ${JSON.stringify(value)}`) };
}
