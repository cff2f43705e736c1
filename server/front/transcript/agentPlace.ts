/** Where agents look for sessions to resume, and how they resume one. */

import { mkdir, open, readFile, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { parseTomlTables } from '../../core/transcript/reading/settings.ts';
import type { AgentSessionFormat } from '../../core/transcript/write/file.ts';
import { badInput, systemErrorReason, workFailed } from '../console/failure.ts';
import { runProgram } from '../install/parts/agentProgram.ts';
import { type Line, span } from '../output/line.ts';
import { printableShellWord, printableText } from '../output/printable.ts';

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

function homeOf(env: NodeJS.ProcessEnv): string {
	return env.HOME || homedir();
}

function codexFolder(env: NodeJS.ProcessEnv): string {
	return env.CODEX_HOME || join(homeOf(env), '.codex');
}

/**
 * The path where the agent finds the session; for OpenCode that of a temporary file, which OpenCode imports. Throws with exit
 * code 2 if the path is unknown.
 */
export async function agentPlaceOf(session: NewAgentSession, env: NodeJS.ProcessEnv): Promise<string> {
	const { format, id, now } = session;
	const home = homeOf(env);
	const time = new Date(now).toISOString();
	switch (format) {
		case 'codex': {
			const name = `rollout-${time.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`;
			return join(codexFolder(env), 'sessions', ...time.slice(0, 10).split('-'), name);
		}
		case 'copilot-cli':
			return join(env.COPILOT_HOME || join(home, '.copilot'), 'session-state', id, 'events.jsonl');
		case 'gemini-cli':
			return join(env.GEMINI_CLI_HOME || home, '.gemini', 'contextd', `${id}.jsonl`);
		case 'opencode':
			return join(tmpdir(), `contextd-${id}.json`);
		case 'pi': {
			const cwd = await realpath(session.cwd);
			const base = env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent');
			const project = `--${cwd.replace(/^[/\\]/, '').replace(/[/\\:]/g, '-')}--`;
			return join(base, 'sessions', project, `${time.replace(/[:.]/g, '-')}_${id}.jsonl`);
		}
		case 'claude-code': {
			const cwd = await realpath(session.cwd);
			const project = cwd.replace(/[^a-zA-Z0-9]/g, '-');
			if (project.length > maxNameLength) {
				throw badInput(
					`the folder of Claude Code's sessions for ${printableText(cwd)} cannot be determined: the path is too long`,
				);
			}
			return join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects', project, `${id}.jsonl`);
		}
	}
}

/** Milliseconds by which a new session is dated before a running one. */
const datedBeforeMs = 1000;

/**
 * Writes a session as a new private file for its agent; OpenCode then imports it. Throws with exit code 2 if the file cannot
 * be written, and with 1 if OpenCode refuses it.
 *
 * @param running when a running session there last changed, in milliseconds since the epoch. The new session is dated just
 * before, since it becomes the newest only when it is resumed
 */
export async function writeAgentSession(
	session: NewAgentSession,
	path: string,
	text: string,
	{ running, env }: { running?: number; env: NodeJS.ProcessEnv },
): Promise<void> {
	const isImported = session.format === 'opencode';
	try {
		await mkdir(dirname(path), { recursive: true });
		const file = await open(path, 'wx', 0o600);
		try {
			await file.writeFile(
				isImported && running !== undefined ? datedText(text, running - datedBeforeMs) : text,
			);
			if (running !== undefined)
				await file.utimes(new Date(running - datedBeforeMs), new Date(running - datedBeforeMs));
		} finally {
			await file.close();
		}
	} catch (error) {
		throw badInput(`cannot write ${printableText(path)}: ${systemErrorReason(error)}`);
	}
	if (isImported) await importToOpenCode(path, env);
}

/** The text of a session for OpenCode, with another time of its last change, in milliseconds since the epoch. */
function datedText(text: string, updated: number): string {
	const { info, ...rest } = JSON.parse(text);
	return JSON.stringify({ info: { ...info, time: { ...info.time, updated } }, ...rest });
}

/** Lets OpenCode import a file into its database, and removes the file. */
async function importToOpenCode(path: string, env: NodeJS.ProcessEnv): Promise<void> {
	const { isDone, output } = await runProgram('opencode', ['import', path], env);
	await rm(path);
	if (output === undefined)
		throw workFailed('the command opencode was not found on the PATH; -o writes a file for opencode import');
	if (!isDone) throw workFailed(`opencode import failed: ${printableText(output.trim())}`);
}

/** The program that resumes a session once it is in place, and its arguments. */
export function resumeArguments({ format, id }: NewAgentSession, path: string): [string, ...string[]] {
	switch (format) {
		case 'claude-code':
			return ['claude', '--resume', id];
		case 'codex':
			return ['codex', 'resume', id];
		case 'opencode':
			return ['opencode', '-s', id];
		case 'pi':
			return ['pi', '--session', path];
		case 'gemini-cli':
			return ['gemini', '--session-file', path];
		case 'copilot-cli':
			return ['copilot', `--resume=${id}`];
	}
}

/** The command line that resumes a session once it is in place. */
export function resumeCommand(session: NewAgentSession, path: string): string {
	return resumeArguments(session, path).map(printableShellWord).join(' ');
}

/** The command line that resumes a session from any file. */
export function resumeFromFile(session: NewAgentSession, file: string, place: string): string {
	const word = printableShellWord(file);
	if (session.format === 'gemini-cli') return resumeCommand(session, file);
	if (session.format === 'opencode') return `opencode import ${word} && ${resumeCommand(session, file)}`;
	const placed = printableShellWord(place);
	return `mkdir -p ${printableShellWord(dirname(place))} && cp ${word} ${placed} && ${resumeCommand(session, place)}`;
}

/** The provider that Codex' settings choose; undefined if they choose none. */
export async function codexProvider(env: NodeJS.ProcessEnv): Promise<string | undefined> {
	const toml = await ifExists(readFile(join(codexFolder(env), 'config.toml'), 'utf8'));
	const provider = parseTomlTables(toml ?? '').get('')?.model_provider;
	return typeof provider === 'string' ? provider : undefined;
}

/** Where a written session is. */
export type WrittenSessionPlace = 'place' | 'stdout' | { file: string };

/** How to resume a session that was written. */
export function resumeHint(session: NewAgentSession, place: string, written: WrittenSessionPlace): Line {
	if (written === 'stdout') {
		const later =
			session.format === 'opencode' ? resumeFromFile(session, place, place) : resumeCommand(session, place);
		return [span(`Save it as ${printableText(place)}, or use --place; then: `, 'gray'), span(later, 'cyan')];
	}
	const command =
		written === 'place' ? resumeCommand(session, place) : resumeFromFile(session, written.file, place);
	return [span('Continue with: ', 'gray'), span(command, 'cyan')];
}
