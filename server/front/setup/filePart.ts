/** Plans the parts of setup that add lines or an entry of contextd to a file of the user. */

import { CommandFailure } from '../console/failure.ts';
import { findOnPath } from '../install/parts/agentProgram.ts';
import { applyEdit, describeEditedPath, readEditableText } from './editedFile.ts';
import type { FileEdit } from './fileEdit.ts';
import type { PartState, SetupMachine, SetupPart } from './part.ts';

/** A file of the user, and what setup adds to it. */
export interface FileAddition {
	title: string;
	/** What the user gets. */
	gain: string;
	path: string;
	edit: FileEdit;
	/** Returns whether the user has the program that reads the file. */
	isFound(): Promise<boolean>;
	/** Returns the state of the part if the file's text determines it; undefined if the part is new. */
	checkText(text: string, shownPath: string): PartState | undefined;
	/** Returns the lines that change in a file with this text, each with a sign. */
	listChangedLines(text: string): readonly string[];
	/** Returns the line that reports the change. */
	describeResult(shownPath: string): string;
}

/** Returns the parts for the programs of this machine that read these files. */
export async function planFileParts(
	additions: readonly FileAddition[],
	machine: SetupMachine,
): Promise<SetupPart[]> {
	const hasCommand = (await findOnPath(['contextd'], machine)).length > 0;
	const parts = await Promise.all(
		additions.map(async (addition) =>
			(await addition.isFound()) ? planFilePart(addition, hasCommand, machine.stateFolder) : undefined,
		),
	);
	return parts.filter((part) => part !== undefined);
}

async function planFilePart(
	addition: FileAddition,
	hasCommand: boolean,
	stateFolder: string,
): Promise<SetupPart> {
	const { title, gain, path, edit } = addition;
	const shownPath = await describeEditedPath(path);
	return {
		title,
		gain,
		state: await chooseState(addition, hasCommand, shownPath),
		listChanges: async () => [
			{ path: shownPath, lines: addition.listChangedLines(await readEditableText(path, edit)) },
		],
		apply: async (manifest) => {
			await applyEdit(path, edit, stateFolder, manifest);
			return [addition.describeResult(shownPath)];
		},
	};
}

async function chooseState(
	{ path, edit, checkText }: FileAddition,
	hasCommand: boolean,
	shownPath: string,
): Promise<PartState> {
	try {
		const state = checkText(await readEditableText(path, edit), shownPath);
		if (state !== undefined) return state;
	} catch (error) {
		if (error instanceof CommandFailure) return { kind: 'none', text: error.message };
		throw error;
	}
	if (!hasCommand)
		return { kind: 'none', text: 'the command contextd is not on the PATH (see docs/setup.md)' };
	return { kind: 'due', word: shownPath };
}
