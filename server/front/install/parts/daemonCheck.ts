/** Checks that a plugin's daemon starts and stores sessions, and reports when the plugin last worked. */

import { randomUUID } from 'node:crypto';
import type { Client } from '../../../client/client.ts';
import { connect } from '../../../client/connect.ts';
import { errorText } from '../../../core/failure.ts';
import type { Finding } from './agent.ts';
import type { StartCommand } from './daemonStart.ts';

/** Milliseconds for a cold start on a busy machine and one small session. */
const timeoutMs = 20_000;

/**
 * Like `checkDaemon`, for the daemon that an agent's plugin starts; also finds the newest session of the agent.
 * @param prefix prefix of the ids of the agent's sessions
 */
export function checkPluginDaemon({ argv, settings }: StartCommand, prefix: string): Promise<Finding[]> {
	return checkDaemon([...argv, '--stdio', '--settings-from', settings], async (client, signal) => [
		await findLastWork(client, prefix, signal),
	]);
}

/** A further check of a daemon that works. */
type DaemonCheck = (client: Client, signal: AbortSignal) => Promise<Finding[]>;

/**
 * Starts the daemon once, and stores and removes a session. Takes as long as a cold start, at most 20 s.
 * @param command command line of a client that connects its standard streams to the daemon
 */
export async function checkDaemon(command: readonly string[], check: DaemonCheck): Promise<Finding[]> {
	const signal = AbortSignal.timeout(timeoutMs);
	const formatReason = (error: unknown) =>
		signal.aborted ? `it did not answer within ${timeoutMs / 1000} s` : errorText(error);
	let client: Client;
	try {
		client = await connect({ command, signal });
	} catch (error) {
		return [{ isSound: false, text: `the daemon cannot be started: ${formatReason(error)}` }];
	}
	let failure = 'the daemon cannot store a session';
	try {
		await storeAndDelete(client, signal);
		failure = 'the daemon does not answer';
		const startFinding = { isSound: true, text: 'the daemon starts, and can write to its state folder' };
		return [startFinding, ...(await check(client, signal))];
	} catch (error) {
		return [{ isSound: false, text: `${failure}: ${formatReason(error)}` }];
	} finally {
		await client.close();
	}
}

/** Reports whether the recorder of a daemon works. */
export async function checkRecorder(client: Client, signal: AbortSignal): Promise<Finding[]> {
	const { recording, folder, problem, watchRefusal } = await client.request(
		'recorder/status',
		{},
		{ signal },
	);
	if (!recording)
		return [{ text: 'sessions are not recorded; contextd record on also keeps sessions that agents delete' }];
	const isSound = problem === undefined;
	const text = isSound
		? `sessions are recorded in ${folder}`
		: `sessions are not recorded at the moment: ${problem}`;
	if (watchRefusal === undefined) return [{ isSound, text }];
	const delayText = `new sessions are found up to two minutes late, because the system cannot watch more folders: ${watchRefusal}`;
	return [{ isSound, text }, { text: delayText }];
}

/** Reports when a plugin last worked on a session. */
async function findLastWork(client: Client, sessionPrefix: string, signal: AbortSignal): Promise<Finding> {
	const { sessions } = await client.request('session/list', {}, { signal });
	const newest = sessions.find(({ sessionId }) => sessionId.startsWith(sessionPrefix));
	if (newest === undefined) return { text: 'the plugin has not worked on a session yet' };
	const time = formatTime(newest.updatedAt, new Date());
	return { text: `the plugin last worked ${time} in session ${newest.sessionId}` };
}

async function storeAndDelete(client: Client, signal: AbortSignal): Promise<void> {
	const sessionId = `contextd-doctor-${randomUUID()}`;
	await client.request('session/open', { sessionId }, { signal });
	try {
		const messages = [{ role: 'user' as const, content: 'contextd doctor' }];
		await client.request('session/append', { sessionId, messages }, { signal });
	} finally {
		await client.request('session/delete', { sessionId }, { signal });
	}
}

/** Formats a local time of day, preceded by the date unless that is today. */
function formatTime(at: number, now: Date): string {
	const date = new Date(at);
	const pad = (value: number) => String(value).padStart(2, '0');
	const time = `at ${pad(date.getHours())}:${pad(date.getMinutes())}`;
	if (date.toDateString() === now.toDateString()) return time;
	return `on ${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${time}`;
}
