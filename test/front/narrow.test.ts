/** All output on a terminal of 40 columns. */

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { eastAsianWidth } from 'get-east-asian-width';
import { afterEach, describe, expect, it } from 'vitest';
import { commandUsages } from '../../server/front/console/usage.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import type { Answer } from './fakeDaemon.ts';
import { sessionAnswers } from './fakeDaemon.ts';
import { pluginHome } from './install/pluginHome.ts';
import { runCommand } from './runCommand.ts';
import { compactionWith, statsWith } from './values.ts';

afterEach(removeFolders);

const columns = 40;
const program = fileURLToPath(new URL('../../dist/contextd.cjs', import.meta.url));
const sgr = new RegExp(`${String.fromCharCode(27)}\\[(\\d+)m`, 'g');
const cyan = '36';

/** Columns of a text by Unicode's tables, independent of the code under test. */
function widthOf(text: string): number {
	return [...text].reduce(
		(sum, one) => sum + (/\p{M}|\p{Cf}/u.test(one) ? 0 : eastAsianWidth(one.codePointAt(0) ?? 0)),
		0,
	);
}

/** Returns the parts of a line that must not be broken: commands, which are cyan, and words. */
function wordsOf(line: string): string[] {
	const words: string[] = [];
	let [tone, from] = ['0', 0];
	for (const match of [...line.matchAll(sgr), undefined]) {
		const text = line.slice(from, match?.index);
		words.push(...(tone === cyan ? [text] : text.split(' ')));
		[tone, from] = [match?.[1] ?? '0', (match?.index ?? 0) + (match?.[0].length ?? 0)];
	}
	return words.filter((word) => word.trim() !== '');
}

/** Lines that are too wide although they could have been broken. */
function tooWide(text: string): string[] {
	return text
		.split('\n')
		.filter((line) => widthOf(line.replace(sgr, '')) > columns && wordsOf(line).length > 1);
}

const path = '/home/me/.claude/projects/-home-me-a-project-with-a-long-name/0b1c-4f8e.jsonl';
const transcript = {
	path,
	agent: 'claude-code',
	label: 'Claude Code',
	title: '渡し船の時刻表を直してください、一時間ずれています',
	size: 9e6,
	updatedAt: 1,
};
const stored = {
	sessionId: 'a-session-with-quite-a-long-id',
	title: 'Fix the parser that loses the last line',
	messageCount: 12_345,
	updatedAt: 1,
	createdAt: 1,
	provider: 'openai',
	model: '',
};
const summary = {
	by: 'extract' as const,
	attempts: [],
	text: `Goal: ${'long '.repeat(30)}\n\n## What happened\n[#2] ${'said '.repeat(30)}\n\n## Files and code\n- read`,
};

const answers: Record<string, Answer> = {
	...sessionAnswers(),
	'context/discover': () => ({ transcripts: [transcript] }),
	'session/list': () => ({ sessions: [stored] }),
	'context/stats': () => statsWith({ agent: 'claude-code', usageRatio: 0.83, shouldCompact: true }),
	'context/compact': () =>
		compactionWith({ summary, warnings: ['the model is not known, so its window is a guess'] }),
	'context/undo': () => ({
		undone: ['0b1c2d3e-4f5a-4b6c-8d7e-9f0a1b2c3d4e'],
		stats: statsWith(),
	}),
	'context/recall': () => ({
		total: 9,
		matches: [
			{
				messageId: 'm7',
				role: 'tool',
				toolName: 'read_file',
				excerpt: 'a port number '.repeat(9),
				hiddenBy: 'c1',
			},
		],
	}),
	'context/history': () => ({
		version: 1,
		messages: [{ id: 'm1', role: 'user', content: '時刻表 '.repeat(30) }],
	}),
	'context/export': () => ({
		text: '',
		messageCount: 3,
		compaction: compactionWith({}),
		warnings: ['one signature was dropped'],
	}),
	'context/sources': () => ({
		files: [
			{
				uri: 'file:///home/me/project/src/a/long/path/of/some/file.ts',
				reads: 3,
				tokens: 9000,
				freeableTokens: 4000,
				messageIds: [],
			},
		],
		commands: [
			{
				command: 'npm test -- --reporter verbose --coverage',
				toolName: 'Bash',
				runs: 3,
				tokens: 9000,
				freeableTokens: 4000,
				messageIds: [],
			},
		],
	}),
};

const commandLines: readonly (readonly string[])[] = [
	[],
	['--help'],
	['no-such-command-of-this-program'],
	...commandUsages.map(({ name }) => ['help', name]),
	['stats', '-'],
	['stats', '-', '--model', 'a-model-with-a-very-long-name-that-nobody-knows'],
	['stats', '/no/such/folder/of/this/machine/session.jsonl'],
	['compact', '-'],
	['compact', '--session', 'newest'],
	['undo', '--session', 'newest'],
	['undo', '--session', 'another-id-that-no-session-has'],
	['history', '--session', 'newest'],
	['recall', 'port', '--session', 'newest'],
	['sessions', '--all'],
	['sessions'],
	['export', '-', '-f', 'anthropic'],
	['setup'],
	['setup', '--yes'],
	['setup', '--dry-run'],
	['setup', '--undo'],
	['install', 'opencode'],
	['doctor'],
	['doctor', 'pi'],
	['uninstall', 'opencode'],
	['daemon', 'status'],
	['daemon', 'stop'],
];

describe('output at 40 columns', () => {
	it.each(commandLines.map((args) => ({ args, line: ['contextd', ...args].join(' ') })))(
		'breaks no line of "$line" late',
		async ({ args }) => {
			const { version: _, ...installMachine } = await pluginHome();
			const { home } = installMachine;
			writeFileSync(join(home, '.bashrc'), '');
			writeFileSync(join(home, 'opencode'), '#!/bin/sh\necho 1.0.0\n', { mode: 0o755 });
			const { out, err } = await runCommand([...args], {
				answers,
				installMachine,
				stdin: Readable.from(args.includes('-') ? ['{"role":"user","content":"hi"}\n'] : []),
				env: { COLUMNS: String(columns), FORCE_COLOR: '1', HOME: home, PATH: home, SHELL: '/bin/zsh' },
				daemon: {
					inspect: async () => ({ kind: 'elsewhere', pid: 1, host: 'a-host-with-a-long-name' }),
				},
			});
			expect(`${out}${err}`).not.toBe('');
			expect(tooWide(`${out}${err}`)).toEqual([]);
		},
	);

	it.each([
		['status', '--help'],
		['statusline', '--help'],
		['status', '--format', '{nothing}'],
	])('breaks no line of contextd %s %s late', (...args) => {
		const env = { ...process.env, COLUMNS: String(columns), FORCE_COLOR: '1', HOME: freshFolder() };
		const { stdout, stderr } = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', env });
		expect(tooWide(`${stdout}${stderr}`)).toEqual([]);
	});
});
