/** Where agents look for sessions to resume. */

import { mkdir, open, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentSessionFormat } from '../../core/transcript/write/file.ts';
import { badInput, reasonOf } from '../console/failure.ts';
import { printable, printableShellWord } from '../output/printable.ts';

/** A new session of an agent. */
export interface NewAgentSession {
	format: AgentSessionFormat;
	/** The id in its file. */
	id: string;
	/** The agent's working folder. */
	cwd: string;
	/** Milliseconds since the epoch. */
	now: number;
}

/** Claude Code truncates longer folder names, and appends a digest that cannot be computed here. */
const maxNameLength = 200;

/** The path where the agent finds the session. Throws with exit code 2 if that is unknown. */
export async function agentPlaceOf(session: NewAgentSession, env: NodeJS.ProcessEnv): Promise<string> {
	const cwd = await realpath(session.cwd);
	const home = env.HOME || homedir();
	if (session.format === 'pi') {
		const base = env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent');
		const project = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
		const index = new Date(session.now).toISOString().replace(/[:.]/g, '-');
		return join(base, 'sessions', project, `${index}_${session.id}.jsonl`);
	}
	const project = cwd.replace(/[^a-zA-Z0-9]/g, '-');
	if (project.length > maxNameLength) {
		throw badInput(
			`the folder of Claude Code's sessions for ${printable(cwd)} cannot be determined: the path is too long`,
		);
	}
	return join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects', project, `${session.id}.jsonl`);
}

/** Milliseconds by which a new session is dated before a running one. */
const behind = 1000;

/**
 * Writes a session as a new private file for its agent. Throws with exit code 2 if that is not possible.
 *
 * @param running when a running session there last changed, in milliseconds since the epoch. The new session is dated just
 * before, since it becomes the newest only when it is resumed
 */
export async function placeSession(path: string, text: string, running?: number): Promise<void> {
	try {
		await mkdir(dirname(path), { recursive: true });
		const file = await open(path, 'wx', 0o600);
		try {
			await file.writeFile(text);
			if (running !== undefined) await file.utimes(new Date(running - behind), new Date(running - behind));
		} finally {
			await file.close();
		}
	} catch (error) {
		throw badInput(`cannot write ${printable(path)}: ${reasonOf(error)}`);
	}
}

/** The command that resumes a session, once its file is in place. */
export function resumeCommand({ format, id }: NewAgentSession, path: string): string {
	return format === 'pi' ? `pi --session ${printableShellWord(path)}` : `claude --resume ${id}`;
}

/** Quotes a text as one word of a shell's command line. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
