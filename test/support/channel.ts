/** A plugin's channel in tests: a daemon in this process behind a real socket, and the plugin's side of it. */

import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { type ChannelAnswer, createChannel } from '../../kit/channel.ts';
import { createStreams } from '../../server/client/streams.ts';
import { parseFlags } from '../../server/core/settings/flags.ts';
import { serveInProcess } from '../../server/start/inProcess.ts';
import { serveChannelUntilEnd } from '../../server/start/serveUntilEnd.ts';
import { freshFolder, removeFolders } from './app.ts';

const tablesFolder = fileURLToPath(new URL('../../dist', import.meta.url));

export const sha256 = async (bytes: Uint8Array): Promise<Uint8Array> =>
	new Uint8Array(createHash('sha256').update(bytes).digest());

export const nonce = (): string => randomBytes(32).toString('hex');

/** Sends a body over a Unix socket, by POST unless `method` names another method. */
export function post(
	socketPath: string,
	path: string,
	body: string | Buffer,
	options: { method?: string; timeoutMs?: number; headers?: Record<string, string> } = {},
): Promise<ChannelAnswer> {
	const { method = 'POST', timeoutMs = 5_000, headers } = options;
	return new Promise((resolve, reject) => {
		const sent = request({ socketPath, path, method, headers }, (response) => {
			const pieces: Buffer[] = [];
			response.on('data', (piece: Buffer) => pieces.push(piece));
			response.on('end', () =>
				resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') }),
			);
			response.on('error', reject);
		});
		sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)));
		sent.on('error', reject);
		sent.end(body);
	});
}

/** A daemon behind a socket. */
export interface ServedChannel {
	socket: string;
	key: string;
	state: string;
	/** Returns the log so far. */
	errors(): string;
	/** Creates the plugin's side for a session. */
	channel(session: string, now?: () => number): ReturnType<typeof createChannel>;
	stop(): Promise<number>;
}

export interface ChannelSetup {
	socket?: string;
	state?: string;
	clientProcessId?: number;
	settings?: Record<string, unknown>;
	userHome?: string;
}

/** Creates the plugin's side of a channel. */
export function channelTo(
	{ socket, key }: { socket: string; key: string },
	session: string,
	now: () => number = () => performance.now(),
) {
	return createChannel({
		session,
		post: (path, body, timeoutMs) => post(socket, path, body, { timeoutMs }),
		readSecret: () => readFile(key, 'utf8'),
		sha256,
		nonce,
		now,
	});
}

/** Creates a daemon in this process. */
function daemonIn(stateFolder: string, { settings, userHome = stateFolder }: ChannelSetup) {
	const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
	const server = serveInProcess({
		input,
		output,
		errors,
		flags: parseFlags([]),
		environment: {},
		settingsFile: {
			path: 'settings.json',
			value: { estimator: 'heuristic', ...settings, storage: { directory: stateFolder } },
		},
		platform: process.platform,
		home: userHome,
		version: '0.0.0',
		tablesFolder,
	});
	const ended = server.exitCode.then((code) => `the daemon ended with code ${code}`);
	return { ...createStreams({ input, output, errors, ended, kill: () => server.stop() }), stateFolder };
}

/** Starts a channel; returns the exit code if it ends before it listens. */
export async function startChannel(setup: ChannelSetup = {}): Promise<ServedChannel | number> {
	const state = setup.state ?? freshFolder();
	const socket = setup.socket ?? join(state, 's', `${nonce().slice(0, 8)}.sock`);
	const announced = new PassThrough();
	const errors = new PassThrough();
	let logged = '';
	errors.on('data', (chunk) => {
		logged += chunk;
	});
	let stop = (): void => {};
	const ended = serveChannelUntilEnd({
		socket,
		openDaemonStreams: async () => daemonIn(state, setup),
		clientProcessId: setup.clientProcessId ?? process.pid,
		version: '0.0.0',
		announcements: announced,
		errors,
		onStart(how) {
			stop = how;
		},
	});
	const told = new Promise<string>((resolve) => announced.once('data', (line) => resolve(String(line))));
	const first = await Promise.race([told, ended]);
	if (typeof first === 'number') {
		const failed = logged;
		lastErrors = failed;
		return first;
	}
	const { key }: { key: string } = JSON.parse(first);
	return {
		socket,
		key,
		state,
		errors: () => logged,
		channel: (session, now) => channelTo({ socket, key }, session, now),
		stop() {
			stop();
			return ended;
		},
	};
}

let lastErrors = '';

/** Returns the error of the last channel that could not start. */
export function whyNotStarted(): string {
	return lastErrors;
}

/** Declares channels for the tests of a file, at the top of the file. */
export function startingChannels(): { start(setup?: ChannelSetup): Promise<ServedChannel> } {
	const channels: ServedChannel[] = [];
	afterEach(async () => {
		await Promise.all(channels.splice(0).map((one) => one.stop()));
		await removeFolders();
	});
	return {
		async start(setup = {}) {
			const channel = await startChannel(setup);
			if (typeof channel === 'number') throw new Error(`it ended with ${channel}: ${lastErrors}`);
			channels.push(channel);
			return channel;
		},
	};
}
