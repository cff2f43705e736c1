/** Writes sessions where agents find them, and shows how to resume one. */

import { mkdir, open, readFile, realpath, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ifExists } from '../../core/failure.ts';
import { type AgentSessionFormat, parseTomlTables } from '../../core/transcript/index.ts';
import { createInputFailure, createWorkFailure, describeSystemError } from '../console/failure.ts';
import { runProgram } from '../install/parts/agentProgram.ts';
import { type Line, span } from '../output/line.ts';
import { makePrintable, quotePrintableWord } from '../output/printable.ts';

export interface NewAgentSession {
	format: AgentSessionFormat;
	/** Id of the session in its file. */
	id: string;
	/** Working folder of the agent. */
	cwd: string;
	/** Time of the session's creation, in milliseconds since the epoch. */
	createdAt: number;
}

/**
 * Maximum length of a project's name. Claude Code truncates longer names and appends a digest that contextd cannot
 * compute.
 */
const maxProjectNameLength = 200;

function getHome(env: NodeJS.ProcessEnv): string {
	return env.HOME || homedir();
}

function getCodexFolder(env: NodeJS.ProcessEnv): string {
	return env.CODEX_HOME || join(getHome(env), '.codex');
}

/**
 * Returns the path at which the agent finds the session; for OpenCode, the path of a temporary file, which OpenCode
 * imports. Throws with exit code 2 if the path cannot be determined.
 */
export async function chooseAgentPath(session: NewAgentSession, env: NodeJS.ProcessEnv): Promise<string> {
	const { format, id, createdAt } = session;
	const home = getHome(env);
	const time = new Date(createdAt).toISOString();
	switch (format) {
		case 'codex': {
			const name = `rollout-${time.slice(0, 19).replaceAll(':', '-')}-${id}.jsonl`;
			return join(getCodexFolder(env), 'sessions', ...time.slice(0, 10).split('-'), name);
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
			if (project.length > maxProjectNameLength) {
				throw createInputFailure(
					`the folder of Claude Code's sessions for ${makePrintable(cwd)} cannot be determined: the path is too long`,
				);
			}
			return join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'projects', project, `${id}.jsonl`);
		}
	}
}

/** Milliseconds by which a new session is dated before a running session. */
const datedBeforeMs = 1000;

/**
 * Writes a session as a new private file for its agent; OpenCode then imports it. Throws with exit code 2 if the file
 * cannot be written, and with 1 if OpenCode refuses it.
 *
 * @param runningChangedAt when a running session in the folder last changed, in milliseconds since the epoch. The new session
 * gets an earlier date, because it should become the newest only when it is resumed
 */
export async function writeAgentSession(
	session: NewAgentSession,
	path: string,
	text: string,
	{ runningChangedAt, env }: { runningChangedAt?: number; env: NodeJS.ProcessEnv },
): Promise<void> {
	const isImported = session.format === 'opencode';
	const updatedAt = runningChangedAt === undefined ? undefined : runningChangedAt - datedBeforeMs;
	try {
		await mkdir(dirname(path), { recursive: true });
		const file = await open(path, 'wx', 0o600);
		try {
			await file.writeFile(isImported && updatedAt !== undefined ? changeUpdateTime(text, updatedAt) : text);
			if (updatedAt !== undefined) await file.utimes(new Date(updatedAt), new Date(updatedAt));
		} finally {
			await file.close();
		}
	} catch (error) {
		throw createInputFailure(`cannot write ${makePrintable(path)}: ${describeSystemError(error)}`);
	}
	if (isImported) await importToOpenCode(path, env);
}

/** Returns the text of a session for OpenCode with another time of the last change, in milliseconds since the epoch. */
function changeUpdateTime(text: string, updated: number): string {
	const { info, ...rest } = JSON.parse(text);
	return JSON.stringify({ info: { ...info, time: { ...info.time, updated } }, ...rest });
}

/** Lets OpenCode import a file into its database, and removes the file. */
async function importToOpenCode(path: string, env: NodeJS.ProcessEnv): Promise<void> {
	const { hasSucceeded, output } = await runProgram('opencode', ['import', path], env);
	await rm(path);
	if (output === undefined)
		throw createWorkFailure(
			'the command opencode was not found on the PATH; -o writes a file for opencode import',
		);
	if (!hasSucceeded) throw createWorkFailure(`opencode import failed: ${makePrintable(output.trim())}`);
}

/** Returns the program and arguments that resume a session once it is in place. */
export function createResumeArguments({ format, id }: NewAgentSession, path: string): [string, ...string[]] {
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

/** Returns the command line that resumes a session once it is in place. */
function createResumeCommand(session: NewAgentSession, path: string): string {
	return createResumeArguments(session, path).map(quotePrintableWord).join(' ');
}

/** Returns the command line that resumes a session from any file. */
function createFileResumeCommand(session: NewAgentSession, file: string, path: string): string {
	const quotedFile = quotePrintableWord(file);
	if (session.format === 'gemini-cli') return createResumeCommand(session, file);
	if (session.format === 'opencode')
		return `opencode import ${quotedFile} && ${createResumeCommand(session, file)}`;
	const quotedPath = quotePrintableWord(path);
	return `mkdir -p ${quotePrintableWord(dirname(path))} && cp ${quotedFile} ${quotedPath} && ${createResumeCommand(session, path)}`;
}

/** Returns the provider that the settings of Codex choose; undefined if they choose none. */
export async function readCodexProvider(env: NodeJS.ProcessEnv): Promise<string | undefined> {
	const toml = await ifExists(readFile(join(getCodexFolder(env), 'config.toml'), 'utf8'));
	const provider = parseTomlTables(toml ?? '').get('')?.model_provider;
	return typeof provider === 'string' ? provider : undefined;
}

/** Where a session was written: where its agent finds it, to standard output, or to a file. */
export type Destination = 'place' | 'stdout' | { file: string };

/** Renders how to resume a session that was written. */
export function renderResumeHint(session: NewAgentSession, path: string, destination: Destination): Line {
	if (destination === 'stdout') {
		const resume =
			session.format === 'opencode'
				? createFileResumeCommand(session, path, path)
				: createResumeCommand(session, path);
		return [span(`Save it as ${makePrintable(path)}, or use --place; then: `, 'gray'), span(resume, 'cyan')];
	}
	const command =
		destination === 'place'
			? createResumeCommand(session, path)
			: createFileResumeCommand(session, destination.file, path);
	return [span('Continue with: ', 'gray'), span(command, 'cyan')];
}
