/**
 * Runs a benchmark of `test/bench/` by its name: `npm run bench -- counting`. Without a name, lists the benchmarks.
 *
 * With `--against DIR`, runs the benchmark alternately in this checkout and in DIR (`--turns N`, by default two), and compares
 * the smallest value of each figure. DIR's run uses DIR's own file of the benchmark, unless the benchmark measures the built daemon
 * or imports the source of either checkout: both runs then use the file of this checkout, unless DIR lacks something that it imports.
 *
 * Figures are printed as lines of the form `title: name value unit, name value unit`, in milliseconds or MiB. `within N` or
 * `BEYOND N` after a figure states its budget, which applies only to this checkout.
 */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleSource } from './bundleSource.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = await listBenchmarks();
const args = process.argv.slice(2);
const otherCheckout = takeOption('--against');
const turns = Number(takeOption('--turns') ?? 2);
const [name, ...rest] = args;
/** A benchmark that contains this text uses the built daemon of its working folder. */
const builtDaemon = "resolve('dist/contextd.cjs')";

if (!names.includes(name) || !Number.isInteger(turns) || turns < 1) {
	console.error(
		`npm run bench -- NAME [--against DIR [--turns N]], where NAME is one of: ${names.join(', ')}`,
	);
	process.exit(2);
}

/** Returns the names of all benchmarks. Leaves out files with exports and files in folders, which are parts of benchmarks. */
async function listBenchmarks() {
	const benchmarks = [];
	for (const file of await readdir(`${root}/test/bench`)) {
		if (!file.endsWith('.ts')) continue;
		const source = await readFile(`${root}/test/bench/${file}`, 'utf8');
		if (!/^export /m.test(source)) benchmarks.push(file.replace(/\.ts$/, ''));
	}
	return benchmarks;
}

/** Removes an option with its value from the arguments. Returns the value; undefined if the option is absent. */
function takeOption(option) {
	const index = args.indexOf(option);
	if (index < 0) return undefined;
	const [, value] = args.splice(index, 2);
	if (value !== undefined) return value;
	console.error(`${option}: expected a value`);
	return process.exit(2);
}

/** A benchmark that contains this text imports the source of either checkout. */
const eitherCheckout = "from './eitherCheckout.ts'";

/** Creates a plugin that resolves a benchmark's imports of product code to a checkout. A missing module becomes an empty one. */
function resolveToCheckout(checkout) {
	const bench = `${resolve(root)}/test/bench`;
	return {
		name: 'source-of-checkout',
		setup({ onResolve, onLoad }) {
			onResolve({ filter: /^\.\.\// }, ({ path, resolveDir }) => {
				if (resolveDir !== bench) return undefined;
				const file = resolve(checkout, relative(root, resolve(bench, path)));
				return existsSync(file) ? { path: file } : { path, namespace: 'absent' };
			});
			onLoad({ filter: /.*/, namespace: 'absent' }, () => ({ contents: 'export {};' }));
		},
	};
}

/** Bundles the benchmark of the checkout `owner` for a run in a checkout, with that checkout's packages. */
async function bundleBenchmark(checkout, owner = checkout) {
	const folder = `${checkout}/node_modules/.cache/contextd`;
	const outfile = `${folder}/bench-${name}.mjs`;
	await bundleSource(`${owner}/test/bench/${name}.ts`, outfile, {
		plugins: owner === checkout ? [] : [resolveToCheckout(checkout)],
		logLevel: owner === checkout ? 'warning' : 'silent',
	});
	return outfile;
}

function run(checkout, file, stdio) {
	return spawnSync(process.execPath, ['--expose-gc', file, ...rest], {
		cwd: checkout,
		stdio,
		encoding: 'utf8',
		maxBuffer: 2 ** 26,
	});
}

/**
 * Runs the benchmark in a checkout and returns the figures, by title and name. A failed run in this checkout ends the comparison; a
 * failed run in the other checkout returns the figures printed so far. A missed budget is not a failure.
 */
function measureIn(checkout, file) {
	const { status, signal, stdout } = run(checkout, file, ['ignore', 'pipe', 'inherit']);
	if (status !== 0 && !/ BEYOND /.test(stdout)) {
		console.error(`the benchmark failed in ${checkout}: it ended with ${signal ?? status}`);
		if (checkout === root) process.exit(status || 1);
	}
	return parseFigures(stdout);
}

const figurePattern = /^(.*?)\s*\b(\d+(?:\.\d+)?) (ms|MiB)\b\s*(.*)$/;
const budgetPattern = /^(?:within|BEYOND) (\d+(?:\.\d+)?)/;

function parseFigures(output) {
	const figures = new Map();
	for (const line of output.split('\n')) {
		const colon = line.indexOf(': ');
		if (colon < 0) continue;
		const title = line.slice(0, colon).trim();
		let last;
		for (const text of line.slice(colon + 2).split(/[,;] /)) {
			const [, budget] = budgetPattern.exec(text) ?? [];
			if (budget !== undefined && last) last.budget = Number(budget);
			const [, before = '', value, unit, after = ''] = figurePattern.exec(text) ?? [];
			if (value === undefined) continue;
			last = { title, name: `${before} ${after}`.trim(), value: Number(value), unit };
			figures.set(`${title}\n${last.name}`, last);
		}
	}
	return figures;
}

/** Returns the smallest value of each figure over several runs. */
function findSmallestFigures(runs) {
	const smallest = new Map();
	for (const [key, figure] of runs.flatMap((figures) => [...figures])) {
		if (figure.value < (smallest.get(key)?.value ?? Infinity)) smallest.set(key, figure);
	}
	return smallest;
}

/** Formats the ratio of two figures; a dash if one is missing or zero. */
function formatRatio(here, there) {
	return here && there && there.value > 0 ? (here.value / there.value).toFixed(2) : '–';
}

function formatFigure(figure) {
	return figure ? `${figure.value} ${figure.unit}` : '–';
}

/** Prints the figures of both checkouts, grouped by title, one per row. */
function printComparison(here, there) {
	const keys = [...new Set([...here.keys(), ...there.keys()])];
	const width = Math.max(0, ...keys.map((key) => key.split('\n')[1].length));
	const row = (...cells) => cells.map((cell) => cell.padStart(12)).join('');
	console.log(`${' '.repeat(width + 2)}${row('here', 'there', 'times')}`);
	let title;
	for (const key of keys) {
		const [ours, theirs] = [here.get(key), there.get(key)];
		const { title: figureTitle, name: figureName } = ours ?? theirs;
		if (figureTitle !== title) console.log(figureTitle);
		title = figureTitle;
		const limit = ours?.budget;
		const isBeyond = limit !== undefined && ours.value > limit;
		const budget = limit === undefined ? '' : `   ${isBeyond ? 'BEYOND' : 'within'} ${limit}`;
		const cells = row(formatFigure(ours), formatFigure(theirs), formatRatio(ours, theirs));
		console.log(`  ${figureName.padEnd(width)}${cells}${budget}`);
		if (isBeyond) process.exitCode = 1;
	}
}

const bundle = await bundleBenchmark(root);
if (otherCheckout === undefined) process.exitCode = run(root, bundle, 'inherit').status ?? 1;
else {
	const otherFolder = resolve(otherCheckout);
	const source = await readFile(`${root}/test/bench/${name}.ts`, 'utf8');
	const otherBundle = source.includes(builtDaemon)
		? bundle
		: await bundleBenchmark(otherFolder, source.includes(eitherCheckout) ? root : otherFolder).catch(() =>
				bundleBenchmark(otherFolder),
			);
	const [ours, theirs] = [[], []];
	for (let turn = 0; turn < turns; turn++) {
		theirs.push(measureIn(otherFolder, otherBundle));
		ours.push(measureIn(root, bundle));
	}
	printComparison(findSmallestFigures(ours), findSmallestFigures(theirs));
}
