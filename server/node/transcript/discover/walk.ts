/** Walks the folders where an agent stores sessions, as the agent's `homes` describe them. */

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { toSlashedPath } from '../../../core/files/folder.ts';
import { isFields } from '../../../core/shape.ts';
import {
	type DatabaseHome,
	isWithin,
	type PathSegment,
	type ProjectFolder,
	type ProjectNames,
	parseRecords,
	type TranscriptHome,
} from '../../../core/transcript/index.ts';
import { type AgentEnvironment, readVariable, resolveFolders } from '../agentEnvironment.ts';
import { tryParseDocument } from '../documentFile.ts';
import { listNames, maxCandidates, readSideFile, type TranscriptCandidate } from './listing.ts';

/** A step on the path from a root to a transcript. */
interface WalkStep {
	path: string;
	/** The names on the path from the root to this step. */
	names: readonly string[];
	/** Whether the names show that this path belongs to the project; undefined if they do not show it. */
	belongsToFolder: boolean | undefined;
}

/**
 * Returns the possible transcripts in a home. If a folder is given, leaves out those that certainly belong to another project.
 *
 * @param maxFound maximum number of files to return, the newest first; only applies if the names sort by time
 */
export async function findTranscriptCandidates(
	home: TranscriptHome,
	machine: AgentEnvironment,
	folder: string | undefined,
	maxFound = maxCandidates,
): Promise<TranscriptCandidate[]> {
	const project = folder === undefined ? undefined : createProject(folder);
	const candidates = await Promise.all(
		resolveFolders(home.root, machine).map(async (root) => {
			const steps = await walk(root, home, { project, maxFound });
			if (project === undefined) return steps.map(({ path }) => ({ path, belongsToFolder: true }));
			return home.manifest
				? filterByManifest(steps, home.manifest, project)
				: filterByIndex(steps, await readSessionIndex(root, home.index, project));
		}),
	);
	return candidates.flat();
}

/** Returns the paths of the databases in a home, whether they exist or not. */
export async function findDatabases(home: DatabaseHome, machine: AgentEnvironment): Promise<string[]> {
	const chosenPath = home.variable === undefined ? undefined : readVariable(machine, home.variable);
	if (chosenPath !== undefined) return [chosenPath];
	const steps = await Promise.all(resolveFolders(home.root, machine).map((root) => walk(root, home, {})));
	return steps.flat().map(({ path }) => path);
}

function createProject(path: string): ProjectFolder {
	return { path, digest: createHash('sha256').update(path).digest('hex') };
}

/** Returns all paths that match a home's description; only the newest if the names sort by time. */
async function walk(
	root: string,
	{ path, isSortedByTime, index }: Pick<TranscriptHome, 'path' | 'isSortedByTime' | 'index'>,
	{ project, maxFound = maxCandidates }: { project?: ProjectFolder; maxFound?: number },
): Promise<WalkStep[]> {
	const steps: WalkStep[] = [];
	const descend = async (from: WalkStep, [step, ...rest]: readonly PathSegment[]): Promise<void> => {
		if (step === undefined) {
			steps.push(from);
			return;
		}
		const nextSteps = (await listNextSteps(from, step, project)).filter(
			(one) => one.belongsToFolder !== false || index,
		);
		if (!isSortedByTime) {
			await Promise.all(nextSteps.map((one) => descend(one, rest)));
			return;
		}
		for (const one of nextSteps.reverse()) {
			if (steps.length >= maxFound) return;
			await descend(one, rest);
		}
	};
	await descend({ path: root, names: [], belongsToFolder: undefined }, path);
	return steps;
}

async function listNextSteps(
	from: WalkStep,
	step: PathSegment,
	project: ProjectFolder | undefined,
): Promise<WalkStep[]> {
	const createStep = (name: string, belongsToFolder = from.belongsToFolder): WalkStep => ({
		path: join(from.path, name),
		names: [...from.names, name],
		belongsToFolder,
	});
	if (typeof step === 'string') return [createStep(step)];
	if (typeof step === 'function') return [createStep(step(from.names.at(-1) ?? ''))];
	const names = await listNames(from.path);
	if (step instanceof RegExp) return names.filter((name) => step.test(name)).map((name) => createStep(name));
	if (project === undefined) return names.map((name) => createStep(name));
	return Promise.all(
		names.map(async (name) => createStep(name, await isProjectFolder(from.path, name, step, project))),
	);
}

/** Whether a folder belongs to the project; undefined if its name does not show it for certain. */
async function isProjectFolder(
	parent: string,
	name: string,
	{ isProject, isConclusive, pathFile }: ProjectNames,
	project: ProjectFolder,
): Promise<boolean | undefined> {
	if (isProject(name, project)) return isConclusive ? true : undefined;
	if (pathFile === undefined) return false;
	const [recorded = ''] = (await readSideFile(join(parent, name, pathFile))).split('\n');
	return recorded.trim() === project.path;
}

function filterByIndex(steps: readonly WalkStep[], sessions: ReadonlySet<string>): TranscriptCandidate[] {
	return steps.flatMap(({ path, names, belongsToFolder }) => {
		const isNamed = names.some((name) => sessions.has(name));
		return belongsToFolder === false && !isNamed
			? []
			: [{ path, belongsToFolder: belongsToFolder === true || isNamed }];
	});
}

async function filterByManifest(
	steps: readonly WalkStep[],
	{ file, folders }: NonNullable<TranscriptHome['manifest']>,
	project: ProjectFolder,
): Promise<TranscriptCandidate[]> {
	const candidates = await Promise.all(
		steps.map(async ({ path }): Promise<TranscriptCandidate[]> => {
			const folder = dirname(path);
			const manifest = tryParseDocument(await readSideFile(join(folder, file(basename(folder)))))?.value;
			const recorded = isFields(manifest) ? folders.map((name) => manifest[name]) : [];
			const belongsToFolder = recorded.some(
				(one) => typeof one === 'string' && isWithin(toSlashedPath(one) ?? one, project.path),
			);
			return belongsToFolder ? [{ path, belongsToFolder }] : [];
		}),
	);
	return candidates.flat();
}

/** Reads the names of the project's sessions from the index next to the root. */
async function readSessionIndex(
	root: string,
	index: TranscriptHome['index'],
	project: ProjectFolder,
): Promise<ReadonlySet<string>> {
	const sessions = new Set<string>();
	if (index === undefined) return sessions;
	for (const record of parseRecords(await readSideFile(join(dirname(root), index.file))).records) {
		if (!isFields(record)) continue;
		const { [index.session]: session, [index.folder]: folder } = record;
		if (typeof session !== 'string' || typeof folder !== 'string') continue;
		if (isWithin(folder, project.path)) sessions.add(session);
	}
	return sessions;
}
