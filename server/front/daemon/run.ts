/** Shows whether the daemon runs, stops it, or prints its log. */

import { formatByteSize, formatCount, formatNumber } from '../../core/figures.ts';
import type { DaemonStatus } from '../../protocol/hello.ts';
import { createWorkFailure } from '../console/failure.ts';
import { type FrontIo, writeJson, writeLines, writePlainLines, writeText } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import type { DaemonCommand } from './command.ts';

/** Whether the daemon of a state folder runs and answers, or who else uses the folder. */
export type FolderDaemonState =
	| { kind: 'none' }
	| { kind: 'running'; status: DaemonStatus }
	/** The daemon accepts connections and does not answer within 2 s. */
	| { kind: 'silent'; pid: number | undefined }
	/** A process that serves only its own client uses the folder. */
	| { kind: 'closed'; pid: number }
	/** A process on another machine or in another container uses the folder. */
	| { kind: 'elsewhere'; pid: number; host: string };

/** Controls the daemon of one state folder. */
export interface DaemonControl {
	stateFolder: string;
	inspect(): Promise<FolderDaemonState>;
	/** Asks the process to end; returns whether it ended within 20 s. */
	stop(pid: number): Promise<boolean>;
	/** Kills the process; returns whether it ended within 2 s. */
	kill(pid: number): Promise<boolean>;
	/** Returns the text of the daemon's log; undefined if there is none. */
	readLog(): Promise<string | undefined>;
}

/** Returns the control of a state folder's daemon; by default of the user's state folder. */
export type FindControl = (stateFolder: string | undefined) => Promise<DaemonControl>;

/** Runs `contextd daemon`. Rejects with `CommandFailure` if the daemon does not answer or does not end. */
export async function runDaemonCommand(
	{ action, storage, report }: DaemonCommand,
	io: FrontIo,
	findDaemon: FindControl,
): Promise<void> {
	const daemon = await findDaemon(storage);
	switch (action) {
		case 'log':
			return writeLog(daemon, io);
		case 'status': {
			const state = await daemon.inspect();
			if (report === 'json') return writeJson(io.stdout, convertStatus(state, daemon));
			return writeLines(io.stdout, renderStatus(state, daemon), io.env);
		}
		case 'stop':
			return writePlainLines(io, await stopDaemon(daemon));
	}
}

async function writeLog(daemon: DaemonControl, { stdout }: FrontIo): Promise<void> {
	const log = await daemon.readLog();
	await writeText(stdout, log ?? `no log in ${makePrintable(daemon.stateFolder)}\n`);
}

function describeSilence(pid: number | undefined): string {
	const subject = pid === undefined ? 'the daemon' : `the daemon (process ${pid})`;
	return `${subject} does not answer: it is suspended or busy`;
}

function convertStatus(state: FolderDaemonState, { stateFolder }: DaemonControl): object {
	const { kind, ...facts } = state.kind === 'running' ? { kind: state.kind, ...state.status } : state;
	return { state: kind, stateFolder, ...facts };
}

function renderStatus(state: FolderDaemonState, { stateFolder }: DaemonControl): Line[] {
	const folder = makePrintable(stateFolder);
	switch (state.kind) {
		case 'running':
			return renderRunningDaemon(state.status, folder);
		case 'silent':
			throw createWorkFailure(`${describeSilence(state.pid)}; "contextd daemon stop" ends it`);
		case 'none':
			return [[span(`no daemon is running for ${folder}`)]];
		default:
			return [[span(describeFolderUser(state, folder))]];
	}
}

function describeFolderUser(
	state: Extract<FolderDaemonState, { pid: number; kind: 'closed' | 'elsewhere' }>,
	folder: string,
): string {
	if (state.kind === 'closed') return `process ${state.pid} uses ${folder}, and serves no other clients`;
	return `process ${state.pid} on ${makePrintable(state.host)} (another machine or container) uses ${folder}`;
}

function renderRunningDaemon(status: DaemonStatus, folder: string): Line[] {
	const { pid, version, clients, sessions, memoryBytes, uptime } = status;
	const usageText = [
		formatCount(clients, 'client'),
		formatCount(sessions, 'open session'),
		`${formatByteSize(memoryBytes)} of memory`,
	];
	return [
		[
			span(`contextd ${makePrintable(version)}`, 'bold'),
			span(` · process ${pid} · up ${formatDuration(uptime)}`),
		],
		[span(usageText.join(' · '))],
		[span(folder, 'gray')],
	];
}

function formatDuration(seconds: number): string {
	if (seconds < 120) return `${formatNumber(seconds)} s`;
	const minutes = seconds / 60;
	return minutes < 120 ? `${formatNumber(minutes)} min` : `${formatNumber(minutes / 60)} h`;
}

/**
 * Stops the daemon; returns what was done. A daemon that does not answer is killed, which loses no acknowledged data.
 * Throws with exit code 1 if the daemon does not end, or another process uses the folder.
 */
export async function stopDaemon(daemon: DaemonControl): Promise<string> {
	const state = await daemon.inspect();
	const folder = makePrintable(daemon.stateFolder);
	switch (state.kind) {
		case 'none':
			return `no daemon is running for ${folder}`;
		case 'running': {
			const { pid, clients } = state.status;
			if (!(await daemon.stop(pid))) throw createWorkFailure(`the daemon (process ${pid}) has not ended yet`);
			return `the daemon (process ${pid}) has ended${clients > 0 ? '; its clients start a new one' : ''}`;
		}
		case 'silent': {
			if (state.pid === undefined) throw createWorkFailure(describeSilence(undefined));
			if (!(await daemon.kill(state.pid)))
				throw createWorkFailure(`${describeSilence(state.pid)}, and could not be killed`);
			return `${describeSilence(state.pid)}; it was killed`;
		}
		default:
			throw createWorkFailure(describeFolderUser(state, folder));
	}
}
