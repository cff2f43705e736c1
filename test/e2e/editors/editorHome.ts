/** A home for an editor: a workspace, a session of Claude Code in it, and a session that contextd stores. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freshFolder } from '../../support/app.ts';
import { daemonFile, freshHome, startDaemon } from '../../support/daemon.ts';
import { begin } from '../../support/talk.ts';
import { claudeSession } from '../vscode/transcript.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const editors = process.env.CONTEXTD_EDITORS ?? join(homedir(), '.cache', 'contextd-editors');

/** Returns the path of a Debian 13 program that scripts/installEditors.sh has unpacked; undefined if it is missing. */
export function unpackedEditor(name: string): string | undefined {
	const path = join(editors, 'debian13', 'bin', name);
	return existsSync(path) ? path : undefined;
}

/** Returns the version that a program prints; undefined if there is no such program. */
export function versionOf(program: string): [major: number, minor: number] | undefined {
	const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
	const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout ?? '') ?? [];
	return status === 0 && major && minor ? [Number(major), Number(minor)] : undefined;
}

export interface EditorHome {
	workspace: string;
	/** The environment of the editor, with the command `contextd` on the PATH. */
	environment: NodeJS.ProcessEnv;
	/** Path of Claude Code's session. A test makes it the newest session by setting the file's time. */
	transcript: string;
}

/** Returns the messages of the example session, and a message with characters that programs often handle wrongly. */
function exampleMessages(): unknown[] {
	const [, ...lines] = readFileSync(join(root, 'examples/session.jsonl'), 'utf8').trim().split('\n');
	const odd = { id: 'odd/1 %#', role: 'user', content: 'zero \u0000 byte, \\u0000 text' };
	return [...lines.map((line) => JSON.parse(line)), odd];
}

/** Creates the home, whose newest session is the stored one, "ferry". `cleanUp` and `removeFolders` remove the home. */
export async function editorHome(): Promise<EditorHome> {
	const [base, state] = [freshFolder(), await freshHome()];
	const workspace = join(base, 'project');
	mkdirSync(workspace);
	writeFileSync(join(workspace, 'readme.md'), 'hello\n');
	const transcript = claudeSession({ base, workspace }, 'first');
	for (let turn = 1; turn <= 20; turn++) transcript.turn('Explain the parser.', 5_000 * turn);
	const past = new Date(Date.now() - 3_600_000);
	utimesSync(transcript.path, past, past);
	const daemon = await startDaemon({ home: state, environment: { HOME: base } });
	const uri = pathToFileURL(workspace).href;
	await begin(daemon, 'ferry', exampleMessages(), { title: 'Departures an hour late', workspace: uri });
	await daemon.quit();
	const bin = join(base, 'bin');
	mkdirSync(bin);
	const script = `#!/bin/sh\nexec '${process.execPath}' '${daemonFile}' "$@"\n`;
	writeFileSync(join(bin, 'contextd'), script, { mode: 0o755 });
	return {
		workspace,
		environment: {
			HOME: base,
			PATH: `${bin}:${process.env.PATH}`,
			LC_ALL: 'C.UTF-8',
			TERM: 'xterm-256color',
			CONTEXTD_HOME: state,
		},
		transcript: transcript.path,
	};
}
