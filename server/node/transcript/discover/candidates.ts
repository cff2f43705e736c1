import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../unreadable.ts';
import {
	claudeHome,
	codexHome,
	copilotHome,
	geminiHome,
	globalStorages,
	openCodeHome,
	piHome,
	type Surroundings,
} from './homes.ts';

/** A file that may be a transcript. */
export interface Candidate {
	path: string;
	/** Whether the place where it lies says already that it belongs to the folder that was asked for. */
	belongs: boolean;
}

/** Lists one agent's files, those of a folder where the agent keeps them apart, else the newest. */
export type CandidateLister = (around: Surroundings, folder: string | undefined) => Promise<Candidate[]>;

/** Files of one agent that are looked at, where only their content says to which folder they belong. */
export const mostCandidates = 400;

/** The names in a folder, in order; none where it is no folder or may not be read. */
async function namesIn(folder: string): Promise<string[]> {
	try {
		return (await readdir(folder)).sort();
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'].includes(errorCode(error))) return [];
		throw error;
	}
}

async function filesIn(folder: string, ending: RegExp): Promise<string[]> {
	return (await namesIn(folder)).filter((name) => ending.test(name)).map((name) => join(folder, name));
}

function unsure(paths: readonly string[]): Candidate[] {
	return paths.map((path) => ({ path, belongs: false }));
}

/** Claude Code cuts longer names of folders off and puts a digest behind. */
const longestClaudeName = 200;

const claudeCode: CandidateLister = async (around, folder) => {
	const projects = join(claudeHome(around), 'projects');
	const own = folder?.replace(/[^a-zA-Z0-9]/g, '-').slice(0, longestClaudeName) ?? '';
	const names = (await namesIn(projects)).filter(
		(name) => name === own || own === '' || name.startsWith(`${own}-`),
	);
	// Agents that a session starts write beside it, in older versions.
	const found = await Promise.all(
		names.map((name) => filesIn(join(projects, name), /^(?!agent-).*\.jsonl$/)),
	);
	return unsure(found.flat());
};

/** Codex files its rollouts by year, month and day: the newest days first. */
const codex: CandidateLister = async (around) => {
	const home = codexHome(around);
	const ending = /^rollout-.*\.jsonl(\.zst)?$/;
	const found: string[] = [];
	const walk = async (folder: string, depth: number): Promise<void> => {
		if (depth === 0) {
			found.push(...(await filesIn(folder, ending)).reverse());
			return;
		}
		for (const name of (await namesIn(folder)).reverse()) {
			if (found.length >= mostCandidates) return;
			if (/^\d+$/.test(name)) await walk(join(folder, name), depth - 1);
		}
	};
	await walk(join(home, 'sessions'), 3);
	found.push(...(await filesIn(join(home, 'archived_sessions'), ending)).reverse());
	return unsure(found.slice(0, mostCandidates));
};

const geminiCli: CandidateLister = async (around, folder) => {
	const projects = join(geminiHome(around), 'tmp');
	const hash = folder === undefined ? undefined : createHash('sha256').update(folder).digest('hex');
	const found: Candidate[] = [];
	for (const name of await namesIn(projects)) {
		const belongs =
			folder === undefined ||
			name === hash ||
			(await firstLine(join(projects, name, '.project_root'))) === folder;
		if (!belongs) continue;
		const chats = await filesIn(join(projects, name, 'chats'), /\.jsonl?$/);
		found.push(...chats.map((path) => ({ path, belongs: true })));
	}
	return found;
};

async function firstLine(path: string): Promise<string> {
	try {
		return (await readFile(path, 'utf8')).split('\n')[0]?.trim() ?? '';
	} catch (error) {
		if (['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'].includes(errorCode(error))) return '';
		throw error;
	}
}

const pi: CandidateLister = async (around, folder) => {
	const sessions = join(piHome(around), 'sessions');
	const own = folder?.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-');
	const names = (await namesIn(sessions)).filter((name) => own === undefined || name.startsWith(`--${own}-`));
	const found = await Promise.all(names.map((name) => filesIn(join(sessions, name), /\.jsonl$/)));
	return unsure(found.flat());
};

const copilotCli: CandidateLister = async (around) => {
	const sessions = join(copilotHome(around), 'session-state');
	const names = await namesIn(sessions);
	return unsure(
		names.map((name) =>
			name.endsWith('.jsonl') ? join(sessions, name) : join(sessions, name, 'events.jsonl'),
		),
	);
};

const openCode: CandidateLister = async (around) => {
	const sessions = join(openCodeHome(around), 'storage', 'session');
	const projects = await namesIn(sessions);
	const found = await Promise.all(projects.map((name) => filesIn(join(sessions, name), /\.json$/)));
	return unsure(found.flat());
};

/** Cline, and the extensions made from it. */
const clineExtensions = ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline', 'kilocode.kilo-code'];

const clineTasks: CandidateLister = async (around) => {
	const folders = globalStorages(around).flatMap((storage) =>
		clineExtensions.map((extension) => join(storage, extension, 'tasks')),
	);
	const found = await Promise.all(
		folders.map(async (tasks) =>
			(await namesIn(tasks)).map((task) => join(tasks, task, 'api_conversation_history.json')),
		),
	);
	return unsure(found.flat());
};

/** All agents whose transcripts are looked for. */
export const candidateListers: readonly CandidateLister[] = [
	claudeCode,
	codex,
	geminiCli,
	pi,
	copilotCli,
	openCode,
	clineTasks,
];
