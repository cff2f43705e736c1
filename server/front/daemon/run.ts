/** Shows whether the daemon runs, stops it, or prints its log. */

import { formatNumber } from '../../core/figures.ts';
import type { DaemonStatus } from '../../protocol/hello.ts';
import { workFailed } from '../console/failure.ts';
import { type FrontIo, writeJson, writeLines, writeText } from '../console/terminal.ts';
import { byteSizeText, countWithUnit } from '../output/figures.ts';
import { type Line, span } from '../output/line.ts';
import { printableText } from '../output/printable.ts';
import type { DaemonCommand } from './command.ts';

/** The state of a state folder's daemon. */
export type FolderDaemonState =
	| { kind: 'none' }
	| { kind: 'running'; status: DaemonStatus }
	/** It accepts connections and does not answer within 2 s. */
	| { kind: 'silent'; pid: number | undefined }
	/** A process that serves no other clients uses the folder. */
	| { kind: 'closed'; pid: number }
	/** A process on another machine or in another container uses the folder. */
	| { kind: 'elsewhere'; pid: number; host: string };

/** The daemon of one state folder. */
export interface DaemonControl {
	stateFolder: string;
	look(): Promise<FolderDaemonState>;
	/** Asks the process to end; returns whether it ended within 15 s. */
	stop(pid: number): Promise<boolean>;
	/** Kills the process; returns whether it ended within 2 s. */
	kill(pid: number): Promise<boolean>;
	/** The log; undefined if there is none. */
	readLog(): Promise<string | undefined>;
}

/** Returns the daemon of a state folder; by default of the usual one. */
export type DaemonOf = (stateFolder: string | undefined) => Promise<DaemonControl>;

/** Runs `contextd daemon`. Rejects with `CommandFailure` if the daemon does not answer or does not end. */
export async function runDaemonCommand(
	{ action, storage, report }: DaemonCommand,
	io: FrontIo,
	daemonOf: DaemonOf,
): Promise<void> {
	const daemon = await daemonOf(storage);
	switch (action) {
		case 'log':
			return writeLog(daemon, io);
		case 'status': {
			const state = await daemon.look();
			if (report === 'json') return writeJson(io.stdout, statusJson(state, daemon));
			return writeLines(io.stdout, statusLines(state, daemon), io.env);
		}
		case 'stop':
			return writeLines(io.stdout, [[span(await stopDaemon(daemon))]], io.env);
	}
}

async function writeLog(daemon: DaemonControl, { stdout }: FrontIo): Promise<void> {
	const log = await daemon.readLog();
	await writeText(stdout, log ?? `no log in ${printableText(daemon.stateFolder)}\n`);
}

function silenceText(pid: number | undefined): string {
	const who = pid === undefined ? 'the daemon' : `the daemon (process ${pid})`;
	return `${who} does not answer: it is suspended or busy`;
}

function statusJson(state: FolderDaemonState, { stateFolder }: DaemonControl): object {
	const { kind, ...facts } = state.kind === 'running' ? { kind: state.kind, ...state.status } : state;
	return { state: kind, stateFolder, ...facts };
}

function statusLines(state: FolderDaemonState, { stateFolder }: DaemonControl): Line[] {
	const folder = printableText(stateFolder);
	switch (state.kind) {
		case 'running':
			return runningLines(state.status, folder);
		case 'silent':
			throw workFailed(`${silenceText(state.pid)}; "contextd daemon stop" ends it`);
		case 'none':
			return [[span(`no daemon is running for ${folder}`)]];
		default:
			return [[span(userOf(state, folder))]];
	}
}

function userOf(
	state: Extract<FolderDaemonState, { pid: number; kind: 'closed' | 'elsewhere' }>,
	folder: string,
): string {
	if (state.kind === 'closed') return `process ${state.pid} uses ${folder}, and serves no other clients`;
	return `process ${state.pid} on ${printableText(state.host)} (another machine or container) uses ${folder}`;
}

function runningLines(status: DaemonStatus, folder: string): Line[] {
	const { pid, version, clients, sessions, memoryBytes, uptime } = status;
	const use = [
		countWithUnit(clients, 'client'),
		countWithUnit(sessions, 'open session'),
		`${byteSizeText(memoryBytes)} of memory`,
	];
	return [
		[
			span(`contextd ${printableText(version)}`, 'bold'),
			span(` · process ${pid} · up ${durationText(uptime)}`),
		],
		[span(use.join(' · '))],
		[span(folder, 'gray')],
	];
}

function durationText(seconds: number): string {
	if (seconds < 120) return `${formatNumber(seconds)} s`;
	const minutes = seconds / 60;
	return minutes < 120 ? `${formatNumber(minutes)} min` : `${formatNumber(minutes / 60)} h`;
}

/**
 * Stops the daemon; returns what was done. Kills one that does not answer; acknowledged data is stored.
 * Throws with exit code 1 if the daemon does not end, or another process uses the folder.
 */
export async function stopDaemon(daemon: DaemonControl): Promise<string> {
	const state = await daemon.look();
	const folder = printableText(daemon.stateFolder);
	switch (state.kind) {
		case 'none':
			return `no daemon is running for ${folder}`;
		case 'running': {
			const { pid, clients } = state.status;
			if (!(await daemon.stop(pid))) throw workFailed(`the daemon (process ${pid}) has not ended yet`);
			return `the daemon (process ${pid}) has ended${clients > 0 ? '; its clients start a new one' : ''}`;
		}
		case 'silent': {
			if (state.pid === undefined) throw workFailed(silenceText(undefined));
			if (!(await daemon.kill(state.pid)))
				throw workFailed(`${silenceText(state.pid)}, and could not be killed`);
			return `${silenceText(state.pid)}; it was killed`;
		}
		default:
			throw workFailed(userOf(state, folder));
	}
}
