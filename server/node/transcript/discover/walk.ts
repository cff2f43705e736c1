/** Walks the folders of an agent by what it says of its homes. */

import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { pathOfUri } from '../../../core/files/folder.ts';
import { isFields } from '../../../core/shape.ts';
import type {
	DatabaseHome,
	Home,
	PathStep,
	ProjectFolder,
	ProjectNames,
} from '../../../core/transcript/reading/home.ts';
import { isWithin } from '../../../core/transcript/reading/home.ts';
import { recordsOf } from '../../../core/transcript/reading/lines.ts';
import { parsedDocument } from '../documentFile.ts';
import { type Candidate, mostCandidates, namesIn, textOfFile } from './listing.ts';
import { foldersOf, named, type Surroundings } from './surroundings.ts';

/** A place on the way from a root to a transcript. */
interface Way {
	path: string;
	/** The names from the root to here. */
	names: readonly string[];
	/** Whether a name said for sure that it is the project's, or that it is none of it. */
	belongs: boolean | undefined;
}

/** The transcripts that may lie in a home, those of a project where it is known by the folders' names. */
export async function candidatesIn(
	home: Home,
	around: Surroundings,
	folder: string | undefined,
): Promise<Candidate[]> {
	const project = folder === undefined ? undefined : projectOf(folder);
	const found = await Promise.all(
		foldersOf(home.root, around).map(async (root) => {
			const ways = await walk(root, home, project);
			if (project === undefined) return ways.map(({ path }) => ({ path, belongs: true }));
			return home.manifest
				? ownByManifest(ways, home.manifest, project)
				: ownByIndex(ways, await sessionsOf(root, home.index, project));
		}),
	);
	return found.flat();
}

/** The databases that a home means, existing or not. */
export async function databasesIn(home: DatabaseHome, around: Surroundings): Promise<string[]> {
	const chosen = home.variable === undefined ? undefined : named(around, home.variable);
	if (chosen !== undefined) return [chosen];
	const found = await Promise.all(foldersOf(home.root, around).map((root) => walk(root, home, undefined)));
	return found.flat().map(({ path }) => path);
}

function projectOf(path: string): ProjectFolder {
	return { path, digest: createHash('sha256').update(path).digest('hex') };
}

/** Every way along the path; the newest alone where the names sort by time. */
async function walk(
	root: string,
	{ path, isByTime, index }: Pick<Home, 'path' | 'isByTime' | 'index'>,
	project: ProjectFolder | undefined,
): Promise<Way[]> {
	const found: Way[] = [];
	const descend = async (way: Way, [step, ...rest]: readonly PathStep[]): Promise<void> => {
		if (step === undefined) {
			found.push(way);
			return;
		}
		const next = (await waysOn(way, step, project)).filter((one) => one.belongs !== false || index);
		if (!isByTime) {
			await Promise.all(next.map((one) => descend(one, rest)));
			return;
		}
		for (const one of next.reverse()) {
			if (found.length >= mostCandidates) return;
			await descend(one, rest);
		}
	};
	await descend({ path: root, names: [], belongs: undefined }, path);
	return found;
}

async function waysOn(way: Way, step: PathStep, project: ProjectFolder | undefined): Promise<Way[]> {
	const to = (name: string, belongs = way.belongs): Way => ({
		path: join(way.path, name),
		names: [...way.names, name],
		belongs,
	});
	if (typeof step === 'string') return [to(step)];
	if (typeof step === 'function') return [to(step(way.names.at(-1) ?? ''))];
	const names = await namesIn(way.path);
	if (step instanceof RegExp) return names.filter((name) => step.test(name)).map((name) => to(name));
	if (project === undefined) return names.map((name) => to(name));
	return Promise.all(names.map(async (name) => to(name, await isOwn(way.path, name, step, project))));
}

/** Whether a folder is the project's, for sure; undefined where it may be. */
async function isOwn(
	parent: string,
	name: string,
	{ isProject, isConclusive, pathFile }: ProjectNames,
	project: ProjectFolder,
): Promise<boolean | undefined> {
	if (isProject(name, project)) return isConclusive ? true : undefined;
	if (pathFile === undefined) return false;
	const [told = ''] = (await textOfFile(join(parent, name, pathFile))).split('\n');
	return told.trim() === project.path;
}

function ownByIndex(ways: readonly Way[], sessions: ReadonlySet<string>): Candidate[] {
	return ways.flatMap(({ path, names, belongs }) => {
		const isNamed = names.some((name) => sessions.has(name));
		return belongs === false && !isNamed ? [] : [{ path, belongs: belongs === true || isNamed }];
	});
}

async function ownByManifest(
	ways: readonly Way[],
	{ file, folders }: NonNullable<Home['manifest']>,
	project: ProjectFolder,
): Promise<Candidate[]> {
	const found = await Promise.all(
		ways.map(async ({ path }): Promise<Candidate[]> => {
			const folder = dirname(path);
			const manifest = parsedDocument(await textOfFile(join(folder, file(basename(folder)))))?.value;
			const told = isFields(manifest) ? folders.map((name) => manifest[name]) : [];
			const belongs = told.some(
				(one) => typeof one === 'string' && isWithin(pathOfUri(one) ?? one, project.path),
			);
			return belongs ? [{ path, belongs }] : [];
		}),
	);
	return found.flat();
}

/** The names of the sessions that worked in the project, by the index beside the root. */
async function sessionsOf(
	root: string,
	index: Home['index'],
	project: ProjectFolder,
): Promise<ReadonlySet<string>> {
	const sessions = new Set<string>();
	if (index === undefined) return sessions;
	for (const record of recordsOf(await textOfFile(join(dirname(root), index.file))).records) {
		if (!isFields(record)) continue;
		const { [index.session]: session, [index.folder]: folder } = record;
		if (typeof session !== 'string' || typeof folder !== 'string') continue;
		if (isWithin(folder, project.path)) sessions.add(session);
	}
	return sessions;
}
