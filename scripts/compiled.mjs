/**
 * Writes beside the program what this very Node's V8 makes of its parts, as `server/program.ts` reads it: recorded from a
 * command on a history, and from a daemon that is told of one.
 */

import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';

const recorder = fileURLToPath(new URL('compiled/record.cjs', import.meta.url));

/** Writes into `dist`, where the program must have been built before; what was made of an older one must be gone. */
export async function writeCompiled({ dist, history }) {
	const [, ...messages] = (await readFile(history, 'utf8')).trim().split('\n').map(JSON.parse);
	const runs = [
		{ args: ['stats', history] },
		{ args: ['--stdio', '--framing=ndjson'], input: requests(messages) },
	];
	const folder = await mkdtemp(path.join(tmpdir(), 'contextd-build-'));
	try {
		const made = new Map();
		for (const run of runs) {
			for (const [name, code] of await recorded(run, dist, folder)) {
				// More of the larger one was called.
				if (code.length > (made.get(name)?.length ?? 0)) made.set(name, code);
			}
		}
		const file = `compiled-${process.version}-${process.arch}.bin`;
		await writeFile(path.join(dist, file), await fileOf(made, dist));
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** What a client says in a short life of a daemon, one object a line. */
function requests(messages) {
	const sessionId = 'build';
	const calls = [
		['initialize', { processId: null, capabilities: {} }],
		['session/open', { sessionId, provider: 'anthropic', model: 'claude-sonnet-4-5' }],
		['session/append', { sessionId, messages }],
		['context/stats', { sessionId }],
		['context/compact', { sessionId, targetTokens: 10_000 }],
		['context/prepare', { sessionId }],
		['shutdown', {}],
	];
	const lines = calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
	return [...lines, { jsonrpc: '2.0', method: 'exit' }].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Runs the program; gives what was made of each part that it read. */
async function recorded({ args, input }, dist, folder) {
	const { NODE_OPTIONS: _, ...env } = process.env;
	const own = { HOME: folder, CONTEXTD_HOME: path.join(folder, 'home'), CONTEXTD_RECORD: folder };
	const { status, stderr, stdout } = spawnSync(
		process.execPath,
		['--require', recorder, path.join(dist, 'contextd.cjs'), ...args],
		{ input, encoding: 'utf8', env: { ...env, ...own } },
	);
	if (status !== 0 || stdout.includes('"error":')) {
		throw new Error(`contextd ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
	}
	const names = (await readdir(folder)).filter((one) => one.endsWith('.cjs'));
	return Promise.all(names.map(async (name) => [name, await readFile(path.join(folder, name))]));
}

/** As `server/program.ts` says. */
async function fileOf(made, dist) {
	const parts = {};
	let from = 0;
	for (const [name, code] of made) {
		const ofText = crc32(await readFile(path.join(dist, name)));
		parts[name] = { from, to: from + code.length, ofText };
		from += code.length;
	}
	const table = Buffer.from(JSON.stringify(parts));
	const checked = Buffer.concat([number(table.length), table, ...made.values()]);
	return Buffer.concat([number(crc32(checked)), checked]);
}

function number(value) {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32LE(value);
	return bytes;
}
