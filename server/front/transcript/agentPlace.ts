/** Where agents look for the sessions that they go on with. */

import { mkdir, open, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentSessionFormat } from '../../core/transcript/write/file.ts';
import { badInput, reasonOf } from '../console/failure.ts';
import { printable, printableShellWord } from '../output/printable.ts';

/** A new session of an agent. */
export interface NewAgentSession {
	format: AgentSessionFormat;
	/** The id that it gives itself. */
	id: string;
	/** The folder that the agent is to work in. */
	cwd: string;
	/** Milliseconds since the epoch. */
	now: number;
}

/** Claude Code cuts longer names of folders off, and puts a digest behind that nobody else knows. */
const longestName = 200;

/** Where the agent finds the session. Fails with exit code 2 where that cannot be told. */
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
	if (project.length > longestName) {
		throw badInput(
			`where Claude Code keeps the sessions of ${printable(cwd)} cannot be told: its path is too long`,
		);
	}
	return join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects', project, `${session.id}.jsonl`);
}

/** Milliseconds: what is not used yet counts as older by so much than what is running. */
const behind = 1000;

/**
 * Puts a session there, as a new file that only its owner may read. Fails with exit code 2 where that cannot be.
 *
 * @param running when the session that runs there grew last, in milliseconds since the epoch: the new one is dated just
 * before, since it is the newest only once somebody goes on with it
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
		throw badInput(`${printable(path)} cannot be written: ${reasonOf(error)}`);
	}
}

/** The command that goes on with a session, once it is in its place. */
export function resumeCommand({ format, id }: NewAgentSession, path: string): string {
	return format === 'pi' ? `pi --session ${printableShellWord(path)}` : `claude --resume ${id}`;
}

/** A text as one word of a shell's command line. */
export function shellWord(text: string): string {
	return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
