/**
 * Runs a benchmark of `test/bench/` by its name: `npm run bench -- counting`. Without a name it lists them.
 * With `--against DIR` the benchmark of that name in another checkout runs in turns with this one's, and of every
 * figure that both print in milliseconds, the smallest are set side by side. A benchmark that speaks to the daemon as it
 * was built is taken from here for both: the other checkout need not have it.
 */

import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const names = (await readdir(`${root}/test/bench`))
	.filter((file) => file.endsWith('.ts'))
	.map((file) => file.slice(0, -'.ts'.length));
const args = process.argv.slice(2);
const option = args.indexOf('--against');
const other = option < 0 ? undefined : args.splice(option, 2)[1];
const [name, ...rest] = args;
/** How often each checkout runs where two are compared. */
const turns = 2;
/** What a benchmark names that works through the daemon as it was built below the folder it runs in. */
const builtDaemon = "resolve('dist/contextd.cjs')";

if (!names.includes(name) || (option >= 0 && other === undefined)) {
	console.error(`npm run bench -- NAME [--against DIR], where NAME is one of: ${names.join(', ')}`);
	process.exit(2);
}

/** Bundles the benchmark of a checkout, inside of it, so that packages resolve from there. */
async function bundled(checkout) {
	const folder = `${checkout}/node_modules/.cache/contextd`;
	const outfile = `${folder}/bench-${name}.mjs`;
	await mkdir(folder, { recursive: true });
	await build({
		entryPoints: [`${checkout}/test/bench/${name}.ts`],
		outfile,
		bundle: true,
		platform: 'node',
		target: 'node20.19',
		format: 'esm',
		packages: 'external',
		logLevel: 'warning',
	});
	return outfile;
}

function run(checkout, file, stdio) {
	const ended = spawnSync(process.execPath, ['--expose-gc', file, ...rest], {
		cwd: checkout,
		stdio,
		encoding: 'utf8',
		maxBuffer: 2 ** 26,
	});
	if (ended.status !== 0) {
		console.error(`the benchmark failed in ${checkout}`);
		if (checkout === root) process.exit(ended.status ?? 1);
	}
	return ended.stdout;
}

/** Milliseconds by what they are of: the words of their line up to its last colon, and their place behind it. */
function figuresOf(text) {
	const figures = new Map();
	for (const line of text.split('\n')) {
		const colon = line.indexOf(': ');
		if (colon < 0) continue;
		const title = line.slice(0, colon).trim();
		for (const [index, found] of [
			...line.slice(colon).matchAll(/([\w ]*?)(\d+(?:\.\d+)?) ms( of \w+)?/g),
		].entries()) {
			const words = `${found[1].trim()}${found[3] ?? ''}`.trim();
			figures.set(`${title}: ${words === '' ? `figure ${index + 1}` : words}`, Number(found[2]));
		}
	}
	return figures;
}

function smallest(known, figures) {
	for (const [title, ms] of figures) known.set(title, Math.min(ms, known.get(title) ?? ms));
}

const own = await bundled(root);
if (other === undefined) run(root, own, 'inherit');
else {
	const there = resolve(other);
	const source = await readFile(`${root}/test/bench/${name}.ts`, 'utf8');
	const others = source.includes(builtDaemon) ? own : await bundled(there);
	const [here, beside] = [new Map(), new Map()];
	for (let turn = 0; turn < turns; turn++) {
		smallest(beside, figuresOf(run(there, others, ['ignore', 'pipe', 'inherit'])));
		smallest(here, figuresOf(run(root, own, ['ignore', 'pipe', 'inherit'])));
	}
	for (const [title, ms] of here) {
		const before = beside.get(title);
		console.log(
			before === undefined
				? `${title}: ${ms} ms here, not measured there`
				: `${title}: ${ms} ms here, ${before} ms there, ${(ms / Math.max(before, 0.01)).toFixed(2)} times`,
		);
	}
}
