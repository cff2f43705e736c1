/** Finds the files and commands that `--free` names. */

import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLocationKey } from '../../core/files/folder.ts';
import { toOneLineCommand } from '../../core/sources/shellRun.ts';
import { contextSources, type FreeSelection, type SourcesResult } from '../../protocol/sources.ts';
import { makePrintable } from '../output/printable.ts';
import type { CommandDaemon } from './daemon.ts';
import { createInputFailure } from './failure.ts';

/** Maximum number of files that an error names. */
const maxNamedFiles = 3;

/**
 * Returns the files and commands of a session that the user typed: a path, the end of a path, or a command. Throws
 * with exit code 2 if a name matches no file or command, or several files.
 */
export async function selectSourcesToFree(
	daemon: CommandDaemon,
	sessionId: string,
	names: readonly string[] | undefined,
): Promise<FreeSelection | undefined> {
	if (names === undefined) return undefined;
	const sources = await daemon.request(contextSources, { sessionId });
	const uris: string[] = [];
	const commands: string[] = [];
	for (const name of names) {
		const uri = findFileUri(name, sources);
		if (uri !== undefined) uris.push(uri);
		else if (sources.commands.some(({ command }) => command === toOneLineCommand(name))) commands.push(name);
		else
			throw createInputFailure(
				`compact: --free "${makePrintable(name)}": no visible result comes from this file or command${listLargestFiles(sources)}`,
			);
	}
	return { uris, commands };
}

function findFileUri(name: string, { files }: SourcesResult): string | undefined {
	const key = createLocationKey(pathToFileURL(resolve(name)).href);
	const exactMatch = files.find(({ uri }) => uri === name || createLocationKey(uri) === key);
	if (exactMatch !== undefined) return exactMatch.uri;
	// An absolute path, or one with `..`, names one file, so it is not compared with the ends of paths.
	if (isAbsolute(name) || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(name)) return undefined;
	const ending = `/${createLocationKey(pathToFileURL(`/${name.replaceAll('\\', '/')}`).href).slice(1)}`;
	const matching = files.filter(({ uri }) => `/${createLocationKey(uri)}`.endsWith(ending));
	if (matching.length > 1) {
		const paths = matching.slice(0, maxNamedFiles).map(({ uri }) => makePrintable(createLocationKey(uri)));
		throw createInputFailure(
			`compact: --free "${makePrintable(name)}": this could mean ${paths.join(' or ')}`,
		);
	}
	return matching[0]?.uri;
}

function listLargestFiles({ files }: SourcesResult): string {
	const paths = files.slice(0, maxNamedFiles).map(({ uri }) => makePrintable(createLocationKey(uri)));
	return paths.length === 0 ? '' : `; the largest files: ${paths.join(', ')}`;
}
