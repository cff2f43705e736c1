/**
 * The duration of each method in a session of a million messages, and the processor time for which it blocks other requests.
 * `npm run bench -- longSession [MESSAGES] [METHOD…]`; names of methods select the measurements.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { parseFlags } from '../../server/core/settings/flags.ts';
import { serveInProcess } from '../../server/start/inProcess.ts';
import { longestBlock, shortMessages } from '../support/longestBlock.ts';

const [given, ...only] = process.argv.slice(2);
const count = Number(given ?? 1_000_000);
const folder = await mkdtemp(join(tmpdir(), 'long-session-'));
const sessionId = 's';

/** Starts a client that hardly parses answers, because its work would count as the daemon's. */
function start() {
	const input = new PassThrough();
	const waiting = new Map<number, (head: string) => void>();
	let head = '';
	let units = 0;
	const output = new Writable({
		write(chunk: Buffer, _, done) {
			for (let from = 0; from < chunk.length; ) {
				const end = chunk.indexOf(10, from);
				const part = chunk.subarray(from, end < 0 ? chunk.length : end);
				if (units < 2000) head += part.toString('latin1', 0, 2000);
				units += part.length;
				if (end < 0) break;
				const id = Number(/"id":(\d+)/.exec(head)?.[1]);
				waiting.get(id)?.(`${head} (${units} bytes)`);
				waiting.delete(id);
				head = '';
				units = 0;
				from = end + 1;
			}
			done();
		},
	});
	const server = serveInProcess({
		input,
		output,
		errors: new PassThrough().resume(),
		flags: parseFlags(['--stdio', '--framing=ndjson']),
		environment: { CONTEXTD_HOME: join(folder, 'state') },
		platform: process.platform,
		home: folder,
		version: '0.0.0',
		tablesFolder: 'dist',
	});
	let last = 0;
	const ask = (method: string, params: object): Promise<string> => {
		const id = ++last;
		input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		return new Promise((resolve) => waiting.set(id, resolve));
	};
	const end = (): Promise<number> => {
		input.end();
		return server.exitCode;
	};
	return { ask, end };
}

let daemon = start();
const begin = (estimator = 'heuristic'): Promise<string> =>
	daemon.ask('initialize', { processId: null, capabilities: {}, initializationOptions: { estimator } });
await begin();
const over: string[] = [];

/** Measures and prints one call, if its method is selected or if later calls depend on it. */
async function timed(method: string, params: object = {}, note = ''): Promise<string> {
	const name = note === '' ? method : `${method}, ${note}`;
	if (only.length > 0 && !only.includes(method) && !/append|open/.test(method)) return '';
	globalThis.gc?.();
	const started = performance.now();
	let answer = '';
	const block = await longestBlock(async () => {
		answer = await daemon.ask(method, { sessionId, ...params });
	});
	const ms = Math.round(performance.now() - started);
	if (block > 250) over.push(name);
	console.log(`${name}: took ${ms} ms, others waited ${Math.round(block)} ms of it`);
	if (/"error":\{/.test(answer.slice(0, 200))) console.log(`  ${answer.slice(0, 300)}`);
	return answer;
}

function found(answer: string, key: string): string | undefined {
	return new RegExp(`"${key}":"([^"]*)"`).exec(answer)?.[1];
}

await timed('session/open', { provider: 'anthropic', model: 'claude-sonnet-4' }, 'a new one');
const started = performance.now();
const block = await longestBlock(async () => {
	for (let index = 0; index < count; index += 1000)
		await daemon.ask('session/append', { sessionId, messages: shortMessages(index, 1000) });
});
console.log(
	`${count} messages appended: took ${Math.round(performance.now() - started)} ms, others waited ${Math.round(block)} ms of it`,
);
const usage = { input: 150_000, output: 40 };
await timed('session/reportUsage', { messageId: `m${count - 1}`, usage });
await timed('session/list');
await timed('context/stats');
await timed('context/needsCompaction');
await timed('context/timeline');
await timed('context/history');
await timed('context/history', { includeHidden: true }, 'with what is hidden');
for (const format of ['anthropic', 'openai', 'openai-responses', 'gemini', 'neurolink'])
	await timed('context/history', { format }, format);
await timed('context/validate');
await timed('context/recall', { query: 'question 77777 about' });
await timed('context/original', { messageId: 'm77' });
await timed('context/pin', { messageIds: ['m400'], pinned: true });
await timed('context/pin', { messageIds: ['m400'], pinned: false }, 'off');
const checkpoint = await timed('context/checkpoint', {});
await timed('context/checkpoints');
await timed('context/compact', { dryRun: true, includeMessages: false }, 'tried');
await timed('context/export', { format: 'anthropic', targetTokens: 40_000 });
await timed('context/compact', { includeMessages: false });
await timed('context/history', {}, 'compacted');
await timed('context/history', { includeHidden: true }, 'compacted, with what is hidden');
await timed('context/recall', { query: 'question 77777 about' }, 'compacted');
const summary = await timed('context/prepare', {});
await timed('context/original', { messageId: found(summary, 'id') ?? 'm7' }, 'of a summary');
await timed('context/undo');
await timed('session/rewind', { messageId: `m${count - 1000}` });
await timed('context/compact', { targetTokens: 20_000, includeMessages: false }, 'again');
await timed('context/undo', {}, 'again');
await timed('context/recover', { error: 'prompt is too long: 250000 tokens > 200000 maximum' });
await timed('context/rollback', { checkpointId: found(checkpoint, 'checkpointId') });
await timed('session/update', { provider: 'openai', model: 'gpt-4o' }, 'another model');
await timed('session/close');
await timed('session/open', {}, 'from disk');
await timed('context/prepare', {}, 'of another model');
await daemon.end();
daemon = start();
await begin('calibrated');
await timed('session/list', {}, 'of what is on disk');
await timed('session/open', {}, 'counted by another estimator');
await timed('session/delete');
await daemon.end();
await rm(folder, { recursive: true, force: true });
console.log(over.length === 0 ? 'nobody waited for more than 250 ms' : `above 250 ms: ${over.join('; ')}`);
