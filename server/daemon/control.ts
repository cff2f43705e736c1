/** Controls the daemon of a state folder from another process. */

import { readFile } from 'node:fs/promises';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode, ifExists } from '../core/failure.ts';
import type { DaemonControl, FolderDaemonState } from '../front/daemon/run.ts';
import { findHolder } from '../node/folderLock.ts';
import { parseDaemonStatus, type StatusQuestion } from '../protocol/hello.ts';
import { getDaemonLogPath } from './daemonLog.ts';
import { readFirstLine } from './firstLine.ts';
import { waitForSilence } from './silence.ts';
import { findSocket, type SocketAddress } from './socketAddress.ts';

/** Milliseconds for a daemon to answer, or to start listening after it locked the state folder. */
const answerMs = 2_000;
const answerLimits = { runningMs: answerMs, unknownMs: answerMs };
/** Milliseconds for a daemon to exit after a request to stop, and after it was killed. */
const [stopMs, killMs] = [20_000, 2_000];
/** Maximum length of a status in bytes. */
const maxStatusBytes = 4096;
const pollMs = 50;

export function controlDaemon(stateFolder: string): DaemonControl {
	async function signalAndWait(pid: number, name: NodeJS.Signals, withinMs: number): Promise<boolean> {
		try {
			process.kill(pid, name);
		} catch (error) {
			if (errorCode(error) !== 'ESRCH') throw error;
		}
		const until = performance.now() + withinMs;
		while ((await findHolder(stateFolder))?.pid === pid) {
			if (performance.now() > until) return false;
			await wait(pollMs);
		}
		return true;
	}

	return {
		stateFolder,
		inspect: () => findDaemonState(stateFolder),
		stop: (pid) => signalAndWait(pid, 'SIGTERM', stopMs),
		kill: (pid) => signalAndWait(pid, 'SIGKILL', killMs),
		readLog: () => ifExists(readFile(getDaemonLogPath(stateFolder), 'utf8')),
	};
}

async function findDaemonState(stateFolder: string): Promise<FolderDaemonState> {
	const until = performance.now() + answerMs;
	for (;;) {
		const address = await findSocket(stateFolder);
		const answer = address && (await askStatus(address, stateFolder));
		if (answer !== undefined) return answer;
		const holder = await findHolder(stateFolder);
		if (holder === undefined) return { kind: 'none' };
		if (holder.isElsewhere) return { kind: 'elsewhere', pid: holder.pid, host: holder.host };
		if (holder.role === 'alone') return { kind: 'closed', pid: holder.pid };
		// A daemon that was just started takes the folder before it listens.
		if (performance.now() > until) return { kind: 'silent', pid: holder.pid };
		await wait(pollMs);
	}
}

/** Returns the daemon's answer to a status question, or undefined if nothing listens. */
async function askStatus(
	{ path, secret }: SocketAddress,
	stateFolder: string,
): Promise<Extract<FolderDaemonState, { kind: 'running' | 'silent' }> | undefined> {
	const question: StatusQuestion = { ask: 'status', ...(secret !== undefined && { secret }) };
	const socket = createConnection(path);
	const controller = new AbortController();
	try {
		const connection = await waitForConnection(socket);
		if (connection === 'refused') return undefined;
		if (connection === 'crowded') return { kind: 'silent', pid: (await findHolder(stateFolder))?.pid };
		socket.write(`${JSON.stringify(question)}\n`);
		const line = await Promise.race([
			readFirstLine(socket, { maxBytes: maxStatusBytes }),
			waitForSilence(stateFolder, answerLimits, controller.signal),
		]);
		if (typeof line === 'object') return line;
		return line === undefined ? undefined : { kind: 'running', status: parseDaemonStatus(line) };
	} finally {
		controller.abort();
		socket.destroy();
	}
}

function waitForConnection(socket: Socket): Promise<'connected' | 'crowded' | 'refused'> {
	return new Promise((resolve) => {
		socket.once('connect', () => resolve('connected'));
		socket.on('error', (error) => {
			// EAGAIN: the queue of connections is full, because the daemon accepts none.
			resolve(errorCode(error) === 'EAGAIN' ? 'crowded' : 'refused');
		});
	});
}
