/**
 * Plays the first steps of three new users in fresh home folders, with the commands that README.md contains.
 *
 *   npm run journeys -- [--busy N]
 *
 * `--busy` runs N endless loops at the same time. An agent and an editor are used if `claude` and `code` are on the PATH. Needs
 * Linux, python3, and `script` for a terminal. Fails if a step fails, or if a journey takes more than five minutes.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
const maxSeconds = 300;

/** Returns the commands in the code blocks of a section of the README. */
function readBlockCommands(heading) {
	const [, section = ''] = readme.split(`\n## ${heading}\n`);
	const blocks = section.split('\n## ')[0].matchAll(/^```sh\n(.*?)^```/gms);
	return [...blocks].flatMap(([, lines]) => lines.trim().split('\n'));
}

/** Returns the commands between backticks in the part of the README that begins with these bold words. */
function readPartCommands(words) {
	const [, part] = readme.split(`**${words}.**`);
	if (part === undefined) throw new Error(`README.md: no part begins with "${words}"`);
	const [text] = part.split(/\n\*\*|\n## /);
	return [...text.matchAll(/`((?:npm|contextd|code|python3)(?: [^`]+)?)`/g)].map(([, command]) => command);
}

/** A new user with a fresh home folder and a clone, who types commands at a terminal. */
class Newcomer {
	constructor() {
		this.home = mkdtempSync(path.join(tmpdir(), 'contextd-newcomer-'));
		this.clone = path.join(this.home, 'contextd');
		this.env = {
			HOME: this.home,
			PATH: `${this.home}/npm/bin:${process.env.PATH}`,
			npm_config_prefix: `${this.home}/npm`,
			npm_config_cache: process.env.npm_config_cache ?? path.join(process.env.HOME, '.npm'),
			TERM: 'xterm',
			SHELL: '/bin/bash',
		};
		const { status, stderr } = spawnSync('git', ['clone', '--quiet', root, this.clone], { encoding: 'utf8' });
		if (status !== 0) throw new Error(stderr);
	}

	/** Types a command at a terminal, and an answer to its question. Returns the output; throws if the command fails. */
	type(command, { answer = '', cwd = this.clone } = {}) {
		const { status, stdout, stderr } = spawnSync('script', ['-qec', command, '/dev/null'], {
			cwd,
			env: this.env,
			input: answer,
			encoding: 'utf8',
		});
		if (status !== 0) throw new Error(`${command} failed (${status}):\n${stdout}${stderr}`);
		return stdout;
	}

	end() {
		this.type('contextd daemon stop');
		rmSync(this.home, { recursive: true, force: true });
	}
}

function expectText(text, expected, command) {
	if (!text.includes(expected)) throw new Error(`${command}: expected "${expected}" in\n${text}`);
}

/** Installs contextd as the README says. Returns the command that sets up agents. */
function install(newcomer) {
	const [first, second, setUp, ...more] = readBlockCommands('Install');
	if (setUp === undefined || more.length > 0)
		throw new Error('README.md: expected three commands under Install');
	expectText(newcomer.type(first), 'What fills it', first);
	newcomer.type(second);
	return setUp;
}

/** Plays a user of an agent, who sets contextd up, sees the meter, and undoes the setup. */
function useAgent(newcomer) {
	const project = path.join(newcomer.home, 'project');
	const settings = path.join(newcomer.home, '.claude/settings.json');
	const sessions = path.join(newcomer.home, '.claude/projects', project.replaceAll(/[^a-zA-Z0-9]/g, '-'));
	mkdirSync(project);
	mkdirSync(sessions, { recursive: true });
	writeFileSync(settings, '{ "theme": "dark" }\n');
	const transcript = `${JSON.stringify({
		type: 'user',
		uuid: 'u1',
		sessionId: 's1',
		cwd: project,
		timestamp: new Date().toISOString(),
		message: { role: 'user', content: 'Why does the build fail?' },
	})}\n`;
	writeFileSync(path.join(sessions, 's1.jsonl'), transcript);
	const setUp = install(newcomer);
	const [again, ...others] = readPartCommands('An agent that you use');
	if (again !== setUp) throw new Error(`README.md: the agent's part begins with ${again}, not with ${setUp}`);
	const undo = /`(contextd setup --undo)`/.exec(readme)?.[1] ?? '';
	expectText(newcomer.type(setUp, { answer: 'y\n' }), 'contextd setup --undo', setUp);
	const meter = others.at(-1) ?? '';
	expectText(newcomer.type(meter, { cwd: project }), '%', meter);
	if (spawnSync('claude', ['--version']).status === 0)
		expectText(readFileSync(settings, 'utf8'), 'contextd@contextd', settings);
	newcomer.type(undo);
	if (readFileSync(settings, 'utf8') !== '{ "theme": "dark" }\n')
		throw new Error(`${undo} did not restore ${settings}`);
}

/** Plays a user of VS Code, who builds the extension and installs it. */
function useEditor(newcomer) {
	install(newcomer);
	const [pack, add] = readPartCommands('An editor');
	newcomer.type(pack);
	if (!existsSync(path.join(newcomer.clone, 'client-vscode/contextd.vsix')))
		throw new Error(`${pack}: no vsix`);
	if (spawnSync('code', ['--version']).status !== 0) return console.log('  (code is absent)');
	newcomer.type(add);
	expectText(newcomer.type('code --list-extensions'), 'contextd', add);
}

/** Plays a developer of an agent, who runs the example. */
function buildAgent(newcomer) {
	install(newcomer);
	const [example] = readPartCommands('An agent that you build').filter((command) =>
		command.startsWith('python3'),
	);
	expectText(newcomer.type(example), 'compacted:', example);
}

const journeys = {
	'an agent that you use': useAgent,
	'an editor': useEditor,
	'an agent that you build': buildAgent,
};
const { busy } = parseArgs({ options: { busy: { type: 'string', default: '0' } } }).values;
const loops = Array.from({ length: Number(busy) }, () => spawn(process.execPath, ['-e', 'for (;;);']));
try {
	for (const [name, play] of Object.entries(journeys)) {
		const newcomer = new Newcomer();
		const started = performance.now();
		play(newcomer);
		const seconds = Math.round((performance.now() - started) / 1000);
		newcomer.end();
		console.log(`${name}: ${seconds} s`);
		if (seconds > maxSeconds) throw new Error(`${name} took more than ${maxSeconds} s`);
	}
} finally {
	for (const loop of loops) loop.kill();
}
