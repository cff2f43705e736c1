/** Where agents keep transcripts, and which paths in those folders are transcripts. */

import { type Dirent, opendirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../core/failure.ts';
import { agents } from '../../core/transcript/agents.ts';
import type { PathSegment } from '../../core/transcript/reading/locations.ts';
import { type AgentEnvironment, foldersOf } from '../../node/transcript/discover/agentEnvironment.ts';

/** A folder on the way to transcripts, or a transcript. */
export interface HomeStep {
	path: string;
	/** Last name of the path. */
	name: string;
	/** Steps from here to the transcripts; none if this is one. */
	rest: readonly PathSegment[];
}

/** The roots of all agents, their sub-agents and their outputs, existing or not. */
export function transcriptRoots(machine: AgentEnvironment): HomeStep[] {
	return agents
		.flatMap(({ homes = [], subAgents, outputs }) => [
			...homes,
			...(subAgents?.homes ?? []),
			...(outputs?.homes ?? []),
		])
		.flatMap(({ root, path }) =>
			foldersOf(root, machine).map((folder) => ({ path: folder, name: '', rest: path })),
		);
}

/** The variables of an environment that name folders or databases of agents. */
export function agentVariables(environment: AgentEnvironment['environment']): Record<string, string> {
	const places = agents.flatMap(({ homes = [], databases = [] }) => [
		...[...homes, ...databases].flatMap(({ root }) => ('editorUser' in root ? [] : root)),
		...databases,
	]);
	const names = new Set(['XDG_CONFIG_HOME', 'APPDATA', ...places.flatMap(({ variable }) => variable ?? [])]);
	return Object.fromEntries(
		Object.entries(environment).flatMap(([name, value]) => (names.has(name) && value ? [[name, value]] : [])),
	);
}

/** The step to a name in a folder; undefined if it leads to no transcript. */
export function stepTo({ path, name: parent, rest }: HomeStep, name: string): HomeStep | undefined {
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

/** All steps below a folder, folders before what is in them. Reads folders piece by piece, so it may be paused. */
export function* stepsBelow(from: HomeStep): Generator<HomeStep> {
	for (const { name } of entriesOf(from.path)) {
		const next = stepTo(from, name);
		if (next === undefined) continue;
		yield next;
		if (next.rest.length > 0) yield* stepsBelow(next);
	}
}

/** The entries of a folder; none if it is missing, not a folder, or unreadable. */
function* entriesOf(folder: string): Generator<Dirent> {
	const opened = openFolder(folder);
	if (opened === undefined) return;
	try {
		for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) yield entry;
	} catch (error) {
		if (!unreadableCodes.includes(errorCode(error))) throw error;
	} finally {
		opened.closeSync();
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
