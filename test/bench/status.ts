/**
 * The CPU time of one status line, compared with an empty Node process and two other programs for it:
 * `npm run bench -- status`, after `npm run build`. The two programs are installed from the npm registry into a folder that
 * is removed at the end; a failed installation is reported. Linux only. Fails over budget.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { cpuOf, type Program } from '../support/childCpu.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';
import { fillHome } from '../support/usedHome.ts';

const runs = 15;
const sizes = [2, 300].map((megabytes) => ({ megabytes, bytes: megabytes * 1_000_000 }));
const transcripts = 1200;
/** Maximum CPU times, as multiples of that of `node -e 0`. */
const budgets = { statusline: 2.5, status: 4 };
const rivals = [
	{ name: 'ccusage', version: '20.0.24', args: ['statusline', '--offline'] },
	{ name: 'ccstatusline', version: '2.2.30', args: [] },
];

const home = await mkdtemp(join(tmpdir(), 'contextd-bench-'));
const project = join(home, 'work');
const elsewhere = join(home, 'elsewhere');
const env = { PATH: process.env.PATH, HOME: home };
const command = resolve('dist/contextd.cjs');

function hookInput(transcript: string): string {
	return JSON.stringify({
		session_id: 's',
		transcript_path: transcript,
		cwd: project,
		model: { id: 'claude-sonnet-4-5', display_name: 'Sonnet 4.5' },
		workspace: { current_dir: project, project_dir: project },
		version: '2.1.330',
		cost: { total_cost_usd: 0.1, total_duration_ms: 1000, total_api_duration_ms: 500 },
		context_window: {
			total_input_tokens: 40_503,
			total_output_tokens: 200,
			context_window_size: 200_000,
			current_usage: null,
			used_percentage: null,
			remaining_percentage: null,
		},
	});
}

/** Installs the programs to compare; reports those that could not be installed. */
function install(): { name: string; args: readonly string[]; file: string }[] {
	const folder = join(home, 'rivals');
	return rivals.flatMap(({ name, version, args }) => {
		const options = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error'];
		const { status } = spawnSync('npm', [...options, `${name}@${version}`], { stdio: 'ignore' });
		const file = join(folder, 'node_modules/.bin', name);
		if (status === 0 && existsSync(file)) return [{ name: `${name} ${version}`, args, file }];
		console.log(`${name} ${version} could not be installed here, so it is left out.`);
		return [];
	});
}

function printRatio(name: string, ms: number, empty: number, budget?: number): void {
	const ratio = ms / empty;
	const kept = budget === undefined ? '' : ratio <= budget ? `  within ${budget}` : `  BEYOND ${budget}`;
	console.log(
		`${name.padEnd(34)} ${ms.toFixed(0).padStart(5)} ms  ${ratio.toFixed(2).padStart(5)} x node -e 0${kept}`,
	);
	if (budget !== undefined && ratio > budget) process.exitCode = 1;
}

async function run(): Promise<void> {
	await mkdir(project);
	await mkdir(elsewhere);
	await fillHome(home, project, transcripts);
	const node = process.execPath;
	const empty: Program = { file: node, args: ['-e', '0'], env };
	const others = install();

	const status = { file: node, args: [command, 'status'], env };
	const [emptyMs = 0, statusMs = 0, noneMs = 0] = cpuOf(
		[empty, { ...status, cwd: project }, { ...status, cwd: elsewhere }],
		runs,
	);
	console.log(`${transcripts} transcripts of three agents`);
	printRatio('node -e 0', emptyMs, emptyMs);
	printRatio('contextd status', statusMs, emptyMs, budgets.status);
	printRatio('contextd status, none of the folder', noneMs, emptyMs, budgets.status);

	for (const { megabytes, bytes } of sizes) {
		const transcript = join(home, `.claude/projects/-work/long-${megabytes}.jsonl`);
		await mkdir(join(home, '.claude/projects/-work'), { recursive: true });
		await writeLongTranscript(transcript, bytes, project);
		const input = hookInput(transcript);
		const programs: Program[] = [
			empty,
			{ file: node, args: [command, 'statusline'], env, input },
			...others.map(({ file, args }) => ({ file, args, env, input })),
		];
		const [base = 0, ours = 0, ...theirs] = cpuOf(programs, runs);
		console.log(`\nA transcript of ${megabytes} MB`);
		printRatio('contextd statusline', ours, base, budgets.statusline);
		for (const [index, { name }] of others.entries()) printRatio(name, theirs[index] ?? 0, base);
	}
}

try {
	await run();
} finally {
	await rm(home, { recursive: true, force: true });
}
