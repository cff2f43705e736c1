/** Plans the parts of setup for shells and tmux: lines in their configuration files. */

import { CommandFailure } from '../console/failure.ts';
import { findOnPath } from '../install/parts/agentProgram.ts';
import { applyEdit, describeEditedPath, readEditableText } from './editedFile.ts';
import { createLinesEdit } from './fileEdit.ts';
import { findMarkedLines, markLines } from './markedLines.ts';
import type { PartState, SetupPart, SetupPlace } from './part.ts';
import { listSnippets, type Snippet } from './snippets.ts';

/** Returns the parts for the shells and tmux of this machine. */
export async function planSnippetParts(place: SetupPlace): Promise<SetupPart[]> {
	const hasCommand = (await findOnPath(['contextd'], place)).length > 0;
	const parts = await Promise.all(
		listSnippets(place).map((snippet) => planSnippetPart(snippet, hasCommand, place)),
	);
	return parts.filter((part) => part !== undefined);
}

async function planSnippetPart(
	snippet: Snippet,
	hasCommand: boolean,
	{ stateFolder }: SetupPlace,
): Promise<SetupPart | undefined> {
	if (!(await snippet.isFound())) return undefined;
	const { title, gain, path, lines } = snippet;
	const shownPath = await describeEditedPath(path);
	return {
		title,
		gain,
		state: await chooseState(snippet, hasCommand, shownPath),
		listChanges: async () => [
			{
				path: shownPath,
				lines: markLines(lines)
					.trimEnd()
					.split('\n')
					.map((line) => `+ ${line}`),
			},
		],
		apply: async (manifest) => {
			await applyEdit(path, createLinesEdit(lines), stateFolder, manifest);
			return [`Added the lines of contextd to ${shownPath}`];
		},
	};
}

async function chooseState({ path, lines }: Snippet, hasCommand: boolean, shown: string): Promise<PartState> {
	let text: string;
	try {
		text = await readEditableText(path, createLinesEdit());
	} catch (error) {
		if (error instanceof CommandFailure) return { kind: 'left', text: error.message };
		throw error;
	}
	const range = findMarkedLines(text);
	if (typeof range === 'object') {
		return text.slice(range.from, range.to) === markLines(lines)
			? { kind: 'done' }
			: { kind: 'due', word: `update in ${shown}` };
	}
	if (text.includes('contextd status'))
		return { kind: 'left', text: `${path} calls contextd status already` };
	if (!hasCommand)
		return { kind: 'left', text: 'the command contextd is not on the PATH (see docs/setup.md)' };
	return { kind: 'due', word: shown };
}
