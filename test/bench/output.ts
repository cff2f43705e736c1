/**
 * The cost of shortening tool output. Inline output is compared with parsing and writing the same payload as JSON, which the
 * transport does anyway; output in files is compared with the size of the file. Bundle with esbuild and run with node.
 */
import { mkdtempSync, openSync, rmSync, truncateSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { shortenResult } from '../../server/core/output/shortenResult.ts';
import { truncateToolOutput } from '../../server/node/files/truncateToolOutput.ts';

const megabyte = 1_000_000;
const rounds = 3;

function best(work: () => unknown): number {
	let fastest = Number.POSITIVE_INFINITY;
	for (let round = 0; round < rounds; round += 1) {
		const started = performance.now();
		work();
		fastest = Math.min(fastest, performance.now() - started);
	}
	return fastest;
}

async function bestOf(work: () => Promise<unknown>): Promise<number> {
	let fastest = Number.POSITIVE_INFINITY;
	for (let round = 0; round < rounds; round += 1) {
		const started = performance.now();
		await work();
		fastest = Math.min(fastest, performance.now() - started);
	}
	return fastest;
}

const log = '2026-01-01T00:00:00Z worker[12]: handled request 1234 in 17 ms, status ok, all is well\n';
const payloads: Record<string, string> = {
	'100 MB of log lines': log.repeat((100 * megabyte) / log.length),
	'100 MB on one line': 'x'.repeat(100 * megabyte),
	'100 MB of two-letter lines': 'ab\n'.repeat((100 * megabyte) / 3),
	'100 MB of Han': '漢字\n'.repeat((100 * megabyte) / 7),
};

for (const [name, text] of Object.entries(payloads)) {
	const wire = JSON.stringify({ output: text });
	const { output } = JSON.parse(wire) as { output: string };
	const transport = best(() => JSON.stringify(JSON.parse(wire)));
	for (const direction of ['head', 'tail', 'both'] as const) {
		const ms = best(() => shortenResult(output, { direction }));
		const share = ((100 * ms) / transport).toFixed(1);
		console.log(
			`${name}, ${direction}: ${ms.toFixed(1)} ms; JSON there and back ${transport.toFixed(0)} ms (${share}%)`,
		);
	}
	const failures = best(() => shortenResult(output, {}, 'failures'));
	console.log(`${name}, failures: ${failures.toFixed(1)} ms`);
}

const records = JSON.stringify({ rows: Array.from({ length: 1_000_000 }, (_, id) => ({ id, text: log })) });
const json = best(() => shortenResult(records, {}, 'json'));
const parse = best(() => JSON.parse(records));
console.log(
	`${Math.round(records.length / megabyte)} MB of JSON, json: ${json.toFixed(1)} ms; JSON.parse ${parse.toFixed(0)} ms`,
);

const folder = mkdtempSync(join(tmpdir(), 'contextd-bench-'));
const context = { workspaceFolders: [folder], savedOutputs: { stateFolder: join(folder, 'state') } };
for (const size of [2 ** 20, 2 ** 24, 2 ** 28, 2 ** 32]) {
	const uri = join(folder, `${size}.log`);
	const file = openSync(uri, 'w');
	const end = log.repeat(4000);
	writeSync(file, end, 0);
	truncateSync(uri, size);
	writeSync(file, end, size - end.length);
	const ms = await bestOf(() => truncateToolOutput({ uri, direction: 'both' }, context));
	console.log(`file of ${size / 2 ** 20} MiB: ${ms.toFixed(2)} ms`);
}
rmSync(folder, { recursive: true });
