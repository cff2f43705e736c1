/** Walks the folders of an agent, as its homes describe them. */

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { toSlashedPath } from '../../../core/files/folder.ts';
import { isFields } from '../../../core/shape.ts';
import { parseRecords } from '../../../core/transcript/reading/lines.ts';
import type {
	DatabaseHome,
	PathSegment,
	ProjectFolder,
	ProjectNames,
	TranscriptHome,
} from '../../../core/transcript/reading/locations.ts';
import { isWithin } from '../../../core/transcript/reading/locations.ts';
import { tryParseDocument } from '../documentFile.ts';
import { type AgentEnvironment, foldersOf, readVariable } from './agentEnvironment.ts';
import { listNames, maxCandidates, type TranscriptCandidate, textOfFile } from './listing.ts';

/** A step on the path from a root to a transcript. */
interface WalkStep {
	path: string;
	/** The names from the root to here. */
	names: readonly string[];
	/** Whether a name shows that it belongs to the project, or that it does not; undefined if unknown. */
	belongs: boolean | undefined;
}

/**
 * The possible transcripts in a home; of one project, if folder names show it.
 *
 * @param maxFound files to find if their names sort by time; the newest ones are found
 */
export async function candidatesIn(
	home: TranscriptHome,
	machine: AgentEnvironment,
	folder: string | undefined,
	maxFound = maxCandidates,
): Promise<TranscriptCandidate[]> {
	const project = folder === undefined ? undefined : projectOf(folder);
	const found = await Promise.all(
		foldersOf(home.root, machine).map(async (root) => {
			const steps = await walk(root, home, { project, maxFound });
			if (project === undefined) return steps.map(({ path }) => ({ path, belongs: true }));
			return home.manifest
				? ownByManifest(steps, home.manifest, project)
				: ownByIndex(steps, await sessionsOf(root, home.index, project));
		}),
	);
	return found.flat();
}

/** The databases of a home, existing or not. */
export async function databasesIn(home: DatabaseHome, machine: AgentEnvironment): Promise<string[]> {
	const chosen = home.variable === undefined ? undefined : readVariable(machine, home.variable);
	if (chosen !== undefined) return [chosen];
	const found = await Promise.all(foldersOf(home.root, machine).map((root) => walk(root, home, {})));
	return found.flat().map(({ path }) => path);
}

function projectOf(path: string): ProjectFolder {
	return { path, digest: createHash('sha256').update(path).digest('hex') };
}

/** All paths that match; only the newest if the names sort by time. */
async function walk(
	root: string,
	{ path, isSortedByTime, index }: Pick<TranscriptHome, 'path' | 'isSortedByTime' | 'index'>,
	{ project, maxFound = maxCandidates }: { project?: ProjectFolder; maxFound?: number },
): Promise<WalkStep[]> {
	const found: WalkStep[] = [];
	const descend = async (way: WalkStep, [step, ...rest]: readonly PathSegment[]): Promise<void> => {
		if (step === undefined) {
			found.push(way);
			return;
		}
		const next = (await nextSteps(way, step, project)).filter((one) => one.belongs !== false || index);
		if (!isSortedByTime) {
			await Promise.all(next.map((one) => descend(one, rest)));
			return;
		}
		for (const one of next.reverse()) {
			if (found.length >= maxFound) return;
			await descend(one, rest);
		}
	};
	await descend({ path: root, names: [], belongs: undefined }, path);
	return found;
}

async function nextSteps(
	way: WalkStep,
	step: PathSegment,
	project: ProjectFolder | undefined,
): Promise<WalkStep[]> {
	const to = (name: string, belongs = way.belongs): WalkStep => ({
		path: join(way.path, name),
		names: [...way.names, name],
		belongs,
	});
	if (typeof step === 'string') return [to(step)];
	if (typeof step === 'function') return [to(step(way.names.at(-1) ?? ''))];
	const names = await listNames(way.path);
	if (step instanceof RegExp) return names.filter((name) => step.test(name)).map((name) => to(name));
	if (project === undefined) return names.map((name) => to(name));
	return Promise.all(names.map(async (name) => to(name, await isOwn(way.path, name, step, project))));
}

/** Whether a folder certainly is the project's; undefined if it may be. */
async function isOwn(
	parent: string,
	name: string,
	{ isProject, isConclusive, pathFile }: ProjectNames,
	project: ProjectFolder,
): Promise<boolean | undefined> {
	if (isProject(name, project)) return isConclusive ? true : undefined;
	if (pathFile === undefined) return false;
	const [recorded = ''] = (await textOfFile(join(parent, name, pathFile))).split('\n');
	return recorded.trim() === project.path;
}

function ownByIndex(steps: readonly WalkStep[], sessions: ReadonlySet<string>): TranscriptCandidate[] {
	return steps.flatMap(({ path, names, belongs }) => {
		const isNamed = names.some((name) => sessions.has(name));
		return belongs === false && !isNamed ? [] : [{ path, belongs: belongs === true || isNamed }];
	});
}

async function ownByManifest(
	steps: readonly WalkStep[],
	{ file, folders }: NonNullable<TranscriptHome['manifest']>,
	project: ProjectFolder,
): Promise<TranscriptCandidate[]> {
	const found = await Promise.all(
		steps.map(async ({ path }): Promise<TranscriptCandidate[]> => {
			const folder = dirname(path);
			const manifest = tryParseDocument(await textOfFile(join(folder, file(basename(folder)))))?.value;
			const recorded = isFields(manifest) ? folders.map((name) => manifest[name]) : [];
			const belongs = recorded.some(
				(one) => typeof one === 'string' && isWithin(toSlashedPath(one) ?? one, project.path),
			);
			return belongs ? [{ path, belongs }] : [];
		}),
	);
	return found.flat();
}

/** The names of sessions that worked in the project, from the index next to the root. */
async function sessionsOf(
	root: string,
	index: TranscriptHome['index'],
	project: ProjectFolder,
): Promise<ReadonlySet<string>> {
	const sessions = new Set<string>();
	if (index === undefined) return sessions;
	for (const record of parseRecords(await textOfFile(join(dirname(root), index.file))).records) {
		if (!isFields(record)) continue;
		const { [index.session]: session, [index.folder]: folder } = record;
		if (typeof session !== 'string' || typeof folder !== 'string') continue;
		if (isWithin(folder, project.path)) sessions.add(session);
	}
	return sessions;
}
