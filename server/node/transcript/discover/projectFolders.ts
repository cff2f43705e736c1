import { join } from 'node:path';
import { isWithin } from './head.ts';
import { geminiHome, grokHome, openClawHome, qwenHome } from './homes.ts';
import { type Candidate, type CandidateLister, filesIn, namesIn, unsure } from './listing.ts';

/** Every file of that name two folders down: `home/PROJECT/SESSION/name`. */
async function sessionFiles(
	home: string,
	name: string,
	isMeant: (project: string) => boolean,
): Promise<string[]> {
	const projects = (await namesIn(home)).filter(isMeant);
	const found = await Promise.all(
		projects.map(async (project) =>
			(await namesIn(join(home, project))).map((session) => join(home, project, session, name)),
		),
	);
	return found.flat();
}

/** Grok names a project's folder after its path, percent-encoded. */
export const grok: CandidateLister = async (around, folder) => {
	const files = await sessionFiles(join(grokHome(around), 'sessions'), 'chat_history.jsonl', (project) => {
		const path = decodedName(project);
		return folder === undefined || (path !== undefined && isWithin(path, folder));
	});
	return files.map((path): Candidate => ({ path, belongs: true }));
};

function decodedName(name: string): string | undefined {
	try {
		return decodeURIComponent(name);
	} catch (error) {
		if (error instanceof URIError) return undefined;
		throw error;
	}
}

const dashes = /[^a-zA-Z0-9]/g;

/** Qwen Code names a project's folder after its path, with dashes for all but letters and digits. */
export const qwenCode: CandidateLister = async (around, folder) => {
	const projects = join(qwenHome(around), 'projects');
	const own = folder?.replace(dashes, '-').toLowerCase() ?? '';
	const names = (await namesIn(projects)).filter((name) => name.toLowerCase().startsWith(own));
	const found = await Promise.all(names.map((name) => filesIn(join(projects, name, 'chats'), /\.jsonl$/)));
	return unsure(found.flat());
};

/** Cursor says nowhere but in the name of a project's folder where its agent worked. */
export const cursor: CandidateLister = async (around, folder) => {
	const projects = join(around.home, '.cursor', 'projects');
	const own = folder?.replace(dashes, '-').replace(/^-+/, '').toLowerCase();
	const names = (await namesIn(projects)).filter((name) => own === undefined || name.toLowerCase() === own);
	const found = await Promise.all(
		names.map(async (name) => {
			const transcripts = join(projects, name, 'agent-transcripts');
			const sessions = await namesIn(transcripts);
			return sessions.map((session) =>
				session.endsWith('.jsonl')
					? join(transcripts, session)
					: join(transcripts, session, `${session}.jsonl`),
			);
		}),
	);
	return found.flat().map((path): Candidate => ({ path, belongs: true }));
};

/** Antigravity, as an editor and as a terminal program, keeps all sessions side by side. */
export const antigravity: CandidateLister = async (around) => {
	const found = await Promise.all(
		['antigravity', 'antigravity-cli'].map(async (program) => {
			const brain = join(geminiHome(around), program, 'brain');
			const transcript = join('.system_generated', 'logs', 'transcript.jsonl');
			return (await namesIn(brain)).map((session) => join(brain, session, transcript));
		}),
	);
	return unsure(found.flat());
};

/** Droid keeps a folder a project, and kept all sessions side by side before. */
export const droid: CandidateLister = async (around) => {
	const sessions = join(around.home, '.factory', 'sessions');
	const names = await namesIn(sessions);
	const found = await Promise.all(
		names.map((name) =>
			name.endsWith('.jsonl') ? [join(sessions, name)] : filesIn(join(sessions, name), /\.jsonl$/),
		),
	);
	return unsure(found.flat());
};

/** OpenClaw keeps a folder an agent. */
export const openClaw: CandidateLister = async (around) => {
	const agents = join(openClawHome(around), 'agents');
	const names = await namesIn(agents);
	const found = await Promise.all(names.map((name) => filesIn(join(agents, name, 'sessions'), /\.jsonl$/)));
	return unsure(found.flat());
};
