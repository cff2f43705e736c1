/**
 * Draws docs/images/claude-code.svg from a session of the real Claude Code with contextd inside, against the provider
 * of the tests: `node scripts/picture.mjs CLAUDE`, the command of Claude Code, after `npm run build`. It needs tmux, whose
 * screen is what is drawn.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { drawScreen } from './picture/screen.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const size = { columns: 100, rows: 60 };
/** Milliseconds that something may take to be shown. */
const patience = 60_000;
const label =
	'A session of Claude Code in a terminal with contextd: /compact answers at once, /contextd tells what fills the window, /contextd-undo takes the compaction back';

/** The provider and the set-up of the tests, which are written in TypeScript. */
async function testParts() {
	const { outputFiles } = await build({
		stdin: {
			contents: `export { startMock } from './mock/server.ts'; export { claudeCode } from './agents.ts';`,
			resolveDir: path.join(root, 'test/agents'),
			loader: 'ts',
		},
		bundle: true,
		platform: 'node',
		format: 'esm',
		write: false,
	});
	return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
}

/** Sixteen documents about the queue, each some thousand tokens. */
function writeDocuments(project) {
	return Array.from({ length: 16 }, (_, index) => {
		const file = path.join(project, `document${index + 1}.txt`);
		const lines = Array.from(
			{ length: 140 },
			(__, line) =>
				`${line}. The queue of document ${index + 1} holds ${(line * 104_729) % 9973} items, and drops the oldest.`,
		);
		writeFileSync(file, lines.join('\n'));
		return file;
	});
}

function tmux(...args) {
	return execFileSync('tmux', ['-L', 'contextd-picture', ...args], { encoding: 'utf8' });
}

function isBlank(line) {
	return line?.trim() === '';
}

async function shows(words) {
	for (const begun = Date.now(); Date.now() - begun < patience; await setTimeout(200)) {
		if (tmux('capture-pane', '-p').includes(words)) return;
	}
	throw new Error(`"${words}" was not shown:\n${tmux('capture-pane', '-p')}`);
}

async function say(line, answer) {
	tmux('send-keys', '-l', line);
	await setTimeout(800);
	tmux('send-keys', 'Enter');
	await shows(answer);
}

const [claude] = process.argv.slice(2);
if (claude === undefined) throw new Error('name the command of Claude Code');
const { startMock, claudeCode } = await testParts();
const home = mkdtempSync(path.join(tmpdir(), 'contextd-picture-'));
const project = path.join(home, 'project');
mkdirSync(project);
const mock = await startMock();
try {
	const around = { home, project, url: mock.url };
	await claudeCode.setUp(around);
	const env = {
		PATH: [path.dirname(claude), process.env.PATH].join(':'),
		HOME: home,
		LANG: 'C.UTF-8',
		TERM: 'xterm-256color',
		...claudeCode.environment(around),
	};
	const installed = spawnSync(process.execPath, [path.join(root, 'dist/contextd.cjs'), 'install', 'claude'], {
		env,
		cwd: project,
		stdio: 'inherit',
	});
	if (installed.status !== 0) throw new Error('contextd could not be installed');
	const files = writeDocuments(project);
	const steps = Array.from({ length: files.length / 2 }, (_, step) => ({
		calls: files.slice(2 * step, 2 * step + 2).map((file) => ({ name: 'Read', args: { file_path: file } })),
	}));
	mock.script([...steps, { text: 'All of them tell of the queue.' }]);
	const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
	const command = ['env', '-i', ...variables, claude];
	command.push('--model', 'claude-sonnet-4-5', '--permission-mode', 'default');
	tmux(
		...['-f', '/dev/null', 'new-session', '-d', '-x', String(size.columns), '-y', String(size.rows)],
		...['-c', project, ...command],
	);
	await shows('❯');
	await say('Please read the documents.', 'All of them tell of the queue.');
	await say('/compact the queue', 'the model now gets');
	mock.script([{ text: 'It drops the oldest one, as document 7 says.' }]);
	await say('Which item does it drop today?', 'It drops the oldest one');
	await say('/contextd', 'contextd_recall with an id');
	await say('/contextd-undo', 'the model gets what it got before');
	await setTimeout(2000);
	const screen = tmux('capture-pane', '-p', '-e').split('\n');
	const begin = screen.findLastIndex((line) => line.includes('/compact the queue'));
	const shown = screen.slice(begin).filter((line, at, all) => !isBlank(line) || !isBlank(all[at - 1]));
	const svg = drawScreen(shown, { columns: size.columns, label });
	writeFileSync(path.join(root, 'docs/images/claude-code.svg'), svg);
} finally {
	spawnSync('tmux', ['-L', 'contextd-picture', 'kill-server']);
	await mock.close();
	// What was started ends a little later, and writes until then.
	rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
}
