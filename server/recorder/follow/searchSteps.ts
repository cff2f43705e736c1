/** Searches the folders where agents store transcripts, and decides which paths are transcripts. */

import { type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../core/failure.ts';
import { agents, type PathSegment } from '../../core/transcript/index.ts';
import { type AgentEnvironment, resolveFolders } from '../../node/transcript/agentEnvironment.ts';

/** A folder to search for transcripts, or a transcript. */
export interface SearchStep {
	path: string;
	/** Last component of the path. */
	name: string;
	/** Patterns for the names on the path from this folder to a transcript; empty if the step is a transcript itself. */
	rest: readonly PathSegment[];
}

/** Returns the root folders of all agents, their sub-agents and their outputs, whether they exist or not. */
export function listTranscriptRoots(machine: AgentEnvironment): SearchStep[] {
	return agents
		.flatMap(({ homes = [], subAgents, outputs }) => [
			...homes,
			...(subAgents?.homes ?? []),
			...(outputs?.homes ?? []),
		])
		.flatMap(({ root, path }) =>
			resolveFolders(root, machine).map((folder) => ({ path: folder, name: '', rest: path })),
		);
}

/** Picks the variables of an environment that name folders or databases of agents. */
export function pickAgentVariables(environment: AgentEnvironment['environment']): Record<string, string> {
	const locations = agents.flatMap(({ homes = [], databases = [] }) => [
		...[...homes, ...databases].flatMap(({ root }) => ('belowUserFolder' in root ? [] : root)),
		...databases,
	]);
	const names = new Set([
		'XDG_CONFIG_HOME',
		'APPDATA',
		...locations.flatMap(({ variable }) => variable ?? []),
	]);
	return Object.fromEntries(
		Object.entries(environment).flatMap(([name, value]) => (names.has(name) && value ? [[name, value]] : [])),
	);
}

/** Returns the step from a folder to a name in it; undefined if that name leads to no transcript. */
export function stepInto({ path, name: parent, rest }: SearchStep, name: string): SearchStep | undefined {
	const [step, ...later] = rest;
	if (step === undefined) return undefined;
	const matches =
		typeof step === 'string'
			? step === name
			: typeof step === 'function'
				? step(parent) === name
				: step instanceof RegExp
					? step.test(name)
					: true;
	return matches ? { path: join(path, name), name, rest: later } : undefined;
}

/** Yields all steps below a folder, each folder before its content. Reads entry by entry, so the caller may pause. */
export function* walkBelow(from: SearchStep): Generator<SearchStep> {
	for (const { name } of readEntries(from.path)) {
		const next = stepInto(from, name);
		if (next === undefined) continue;
		yield next;
		if (next.rest.length > 0) yield* walkBelow(next);
	}
}

/** Yields the entries of a folder; none if the folder is missing or unreadable, or if the path is not a folder. */
function* readEntries(folder: string): Generator<Dirent> {
	const directory = openFolder(folder);
	if (directory === undefined) return;
	try {
		for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) yield entry;
	} catch (error) {
		if (!unreadableCodes.includes(errorCode(error))) throw error;
	} finally {
		directory.closeSync();
	}
}

const unreadableCodes = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EIO', 'ESTALE'];

function openFolder(folder: string) {
	try {
		return opendirSync(folder);
	} catch (error) {
		if (unreadableCodes.includes(errorCode(error))) return undefined;
		throw error;
	}
}
