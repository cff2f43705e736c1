import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { clineSessions } from './clineSessions.ts';
import {
	claudeHome,
	codexHome,
	copilotHome,
	geminiHome,
	globalStorages,
	openCodeHome,
	piHome,
} from './homes.ts';
import { kimiCode } from './kimiCode.ts';
import {
	type Candidate,
	type CandidateLister,
	filesIn,
	mostCandidates,
	namesIn,
	textOfFile,
	unsure,
} from './listing.ts';
import { antigravity, cursor, droid, grok, openClaw, qwenCode } from './projectFolders.ts';
import { clineExtensions } from './transcriptFolders.ts';

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
			(await textOfFile(join(projects, name, '.project_root'))).split('\n')[0]?.trim() === folder;
		if (!belongs) continue;
		const chats = await filesIn(join(projects, name, 'chats'), /\.jsonl?$/);
		found.push(...chats.map((path) => ({ path, belongs: true })));
	}
	return found;
};

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
	clineSessions,
	kimiCode,
	grok,
	qwenCode,
	cursor,
	antigravity,
	droid,
	openClaw,
];
