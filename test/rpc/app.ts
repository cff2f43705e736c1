import { PassThrough } from 'node:stream';
import { type AppOptions, startApp } from '../../server/app.ts';
import { parseFlags } from '../../server/core/settings/flags.ts';

/** The whole daemon in this process, over streams in memory, its sessions in memory too. */
export interface InMemoryApp {
	/** Sends a request and gives its result; rejects with the error's message and code. */
	ask<Result = Record<string, unknown>>(method: string, params: unknown): Promise<Result>;
	close(): Promise<void>;
}

interface Reply {
	id?: number;
	result?: unknown;
	error?: { code: number; message: string; data?: unknown };
}

/** Starts the daemon with the heuristic count, so that no tables are needed. */
export async function startInMemory(flags: readonly string[] = []): Promise<InMemoryApp> {
	const input = new PassThrough();
	const output = new PassThrough();
	const waiting = new Map<number, (reply: Reply) => void>();
	let rest = '';
	output.setEncoding('utf8').on('data', (chunk: string) => {
		const lines = (rest + chunk).split('\n');
		rest = lines.pop() ?? '';
		for (const line of lines.filter(Boolean)) {
			const reply = JSON.parse(line) as Reply;
			if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
		}
	});
	const options: AppOptions = {
		input,
		output,
		errors: new PassThrough().resume(),
		flags: parseFlags(['--stdio', '--framing=ndjson', ...flags]),
		environment: { CONTEXTD_MEMORY_ENABLED: 'false' },
		platform: process.platform,
		home: '/nowhere',
		version: '0.0.0',
		tables: '/nowhere',
	};
	const server = startApp(options);
	let lastId = 0;
	const ask = <Result>(method: string, params: unknown): Promise<Result> => {
		const id = ++lastId;
		return new Promise((resolve, reject) => {
			waiting.set(id, ({ result, error }) => {
				waiting.delete(id);
				if (error) reject(Object.assign(new Error(error.message), { code: error.code, data: error.data }));
				else resolve(result as Result);
			});
			input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
		});
	};
	await ask('initialize', {
		processId: null,
		capabilities: {},
		initializationOptions: { estimator: 'heuristic' },
	});
	input.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'initialized', params: {} })}\n`);
	return {
		ask,
		async close() {
			input.end();
			await server.exitCode;
		},
	};
}
