/**
 * Speed and memory of reading transcripts, compared with plain JSON.parse, and of a whole import through a daemon with its
 * journal on disk. `npm run bench -- import [MB]`, after `npm run build`.
 */

import { spawn } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { openTranscript } from '../../server/node/transcript/openTranscript.ts';
import { contextCount } from '../../server/protocol/measuring.ts';
import { contextImport } from '../../server/protocol/transcript.ts';
import { createClient } from '../support/client.ts';
import { writeLongTranscript } from '../support/longTranscript.ts';
import { importerOver } from '../support/transcripts.ts';
import { testWorld } from '../support/world.ts';

const megabyte = 1 << 20;
const bundle = 'dist/contextd.cjs';
const sizes = { read: Number(process.argv[2] ?? 200) * megabyte, store: 40 * megabyte };
const folder = await mkdtemp(join(tmpdir(), 'contextd-bench-'));

/** Returns a copy of a recorded line for one repetition, with new ids and the same session and model. */
function repeated(line: string, round: number): string[] {
	const record = JSON.parse(line);
	if (record.isSidechain) return [];
	for (const field of ['uuid', 'parentUuid']) if (record[field]) record[field] = `${round}-${record[field]}`;
	if (record.message?.id) record.message.id = `${round}-${record.message.id}`;
	if (record.message?.model) record.message.model = 'claude-sonnet-4-5';
	return [`${JSON.stringify({ ...record, sessionId: 's' })}\n`];
}

/** Writes about `bytes` bytes of recorded sessions; returns false if there are none. */
async function writeRecorded(path: string, bytes: number): Promise<boolean> {
	const recorded = resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus', 'originals');
	if (!existsSync(recorded)) return false;
	const names = (await readdir(recorded)).filter((name) => name.endsWith('.claude-code.jsonl'));
	const texts = await Promise.all(names.map((name) => readFile(join(recorded, name), 'utf8')));
	// Lines with two objects are left out.
	const lines = texts.flatMap((text) =>
		text.split('\n').filter((line) => line !== '' && !line.includes('}{"')),
	);
	if (lines.length === 0) return false;
	const file = await open(path, 'w');
	for (let round = 0, written = 0; written < bytes; round++) {
		const text = lines.flatMap((line) => repeated(line, round)).join('');
		await file.write(text);
		written += Buffer.byteLength(text);
	}
	await file.close();
	return true;
}

interface Measured {
	/** Megabytes per second. */
	rate: number;
	/** The largest growth of memory since the start, in megabytes. */
	grown: number;
}

/** Returns the fastest of three runs. */
async function measured(path: string, work: () => Promise<void>): Promise<Measured> {
	const runs = [await once(path, work), await once(path, work), await once(path, work)];
	return runs.reduce((best, run) => (run.rate > best.rate ? run : best));
}

async function once(path: string, work: () => Promise<void>): Promise<Measured> {
	globalThis.gc?.();
	const before = process.memoryUsage().rss;
	let most = before;
	const sampler = setInterval(() => {
		most = Math.max(most, process.memoryUsage().rss);
	}, 20);
	const start = performance.now();
	await work();
	const seconds = (performance.now() - start) / 1000;
	clearInterval(sampler);
	const { size } = await stat(path);
	return { rate: size / megabyte / seconds, grown: (most - before) / megabyte };
}

function show(name: string, { rate, grown }: Measured): void {
	console.log(`${name.padEnd(34)} ${rate.toFixed(0).padStart(6)} MB/s   +${grown.toFixed(0)} MB`);
}

/** Measures an import by a separate daemon. `grown` is then the daemon's peak memory, or 0 if unknown. */
async function throughDaemon(path: string): Promise<Measured> {
	const env = { ...process.env, CONTEXTD_HOME: await mkdtemp(join(folder, 'home-')) };
	const daemon = spawn(process.execPath, [bundle, '--stdio'], { env, stdio: ['pipe', 'pipe', 'inherit'] });
	const client = createClient(daemon.stdin, daemon.stdout);
	await client.initialize({ initializationOptions: { estimator: 'exact' } });
	// Loads the tables of the estimator, which a daemon loads only once.
	await client.ask(contextCount, { text: 'a', provider: 'anthropic', model: 'claude-sonnet-4-5' });
	const start = performance.now();
	await client.ask(contextImport, { path });
	const seconds = (performance.now() - start) / 1000;
	const status = `/proc/${daemon.pid}/status`;
	const peak = existsSync(status) ? /VmHWM:\s+(\d+) kB/.exec(await readFile(status, 'utf8'))?.[1] : undefined;
	await client.start('shutdown').reply;
	client.notify('exit');
	const { size } = await stat(path);
	return { rate: size / megabyte / seconds, grown: Number(peak ?? 0) / 1024 };
}

/** Measures the steps of an import, compared with parsing the same lines. */
async function compare(path: string): Promise<void> {
	const plain = await measured(path, async () => {
		for await (const line of createInterface({ input: createReadStream(path) })) JSON.parse(line);
	});
	show('JSON.parse of every line', plain);
	show(
		'reading it as a transcript',
		await measured(path, async () => {
			const transcript = await openTranscript(path);
			for (let batch = await transcript.readNext(); batch !== undefined; batch = await transcript.readNext());
			await transcript.close();
		}),
	);
	const whole = await throughDaemon(path);
	show('importing (exact, daemon and disk)', whole);
	console.log(`which is ${(whole.rate / plain.rate).toFixed(2)} of the speed of JSON.parse`);
}

const large = join(folder, 'large.jsonl');
if (await writeRecorded(large, sizes.read)) {
	console.log('Recorded sessions of Claude Code, again and again:');
	await compare(large);
} else console.log('No recorded sessions here: name a folder of them in CONTEXTD_CORPUS.');
console.log(
	'A made-up session, four fifths of it long results that parse ten times as fast as they are counted:',
);
await writeLongTranscript(large, sizes.read);
await compare(large);
const small = join(folder, 'small.jsonl');
await writeLongTranscript(small, sizes.store);
for (const estimator of ['calibrated', 'heuristic'] as const) {
	show(
		`importing (${estimator}, 40 MB)`,
		await measured(small, async () => {
			const world = testWorld();
			world.configure({ estimator });
			await importerOver(world).importTranscript({ path: small });
		}),
	);
}
await rm(folder, { recursive: true });
