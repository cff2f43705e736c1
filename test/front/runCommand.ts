/** Runs a command line as a user types it, over streams in memory and a daemon that answers from a table. */

import { PassThrough, Readable, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ConversationReplay } from '../../server/core/replay/alternatives.ts';
import type { FoundSettings } from '../../server/core/settings/layers.ts';
import type { FrontIo } from '../../server/front/console/terminal.ts';
import type { DaemonControl } from '../../server/front/daemon/run.ts';
import { type FrontOptions, runFront } from '../../server/front/run.ts';
import type { PeekSession } from '../../server/front/transcript/sessions.ts';
import { openWholeSession } from '../../server/start/wholeSession.ts';
import { type Answer, type FakeDaemon, fakeDaemon, sessionAnswers } from './fakeDaemon.ts';

/** Exit code and output of a command. */
export interface Run {
	code: number;
	out: string;
	err: string;
	/** The daemon, if the command started one. */
	fake?: FakeDaemon;
}

/** The environment of a command; absent members have their defaults. */
export interface CommandContext {
	answers?: Record<string, Answer>;
	/** The standard input; empty by default. */
	stdin?: FrontIo['stdin'];
	transcriptFolders?: string[];
	/** The environment variables; none by default. */
	env?: NodeJS.ProcessEnv;
	interrupted?: AbortSignal;
	/** Properties of the standard output if it is a terminal. */
	terminal?: { isTTY: boolean; rows?: number; columns?: number };
	/** Receives each text as it is printed. */
	printed?(text: string): void;
	/** Returns how full a session is; by default, that is unknown. */
	glance?: PeekSession;
	/** The folders of the installation; by default, folders that do not exist. */
	installMachine?: FrontOptions['installMachine'];
	/** The settings files that apply; by default none. */
	settingsFiles?: FoundSettings[];
	/** The calls of models on this machine; by default none. */
	collectCalls?: FrontOptions['collectCalls'];
	/** Controls a daemon; by default none runs. */
	daemon?: Partial<DaemonControl>;
}

const noDaemon: Omit<DaemonControl, 'stateFolder'> = {
	inspect: async () => ({ kind: 'none' }),
	stop: async () => false,
	kill: async () => false,
	readLog: async () => undefined,
};

/** Runs a command line to its end. */
export async function runCommand(args: string[], context: CommandContext = {}): Promise<Run> {
	const stdout = new Transform({
		transform(chunk, _, done) {
			context.printed?.(String(chunk));
			done(null, chunk);
		},
	});
	Object.assign(stdout, context.terminal);
	const stderr = new PassThrough();
	let fake: FakeDaemon | undefined;
	const start = async (): Promise<FakeDaemon['daemon']> => {
		fake = await fakeDaemon(context.answers ?? sessionAnswers());
		return fake.daemon;
	};
	const code = await runFront(args, {
		stdin: context.stdin ?? Readable.from([]),
		stdout,
		stderr,
		env: context.env ?? {},
		transcriptFolders: context.transcriptFolders ?? [],
		version: '1.2.3',
		peekSession: context.glance ?? (async () => undefined),
		installMachine: context.installMachine ?? {
			packageFolder: '/nowhere',
			stateFolder: '/nowhere',
			node: process.execPath,
			home: '/nowhere',
			platform: process.platform,
		},
		...(context.interrupted && { interruptSignal: context.interrupted }),
		findDaemon: async (stateFolder = '/usual') => ({ ...noDaemon, stateFolder, ...context.daemon }),
		findSettingsFiles: async () => context.settingsFiles ?? [],
		collectCalls: context.collectCalls ?? (async () => ({ sessions: [], unreadable: [] })),
		openReplays: async () => Object.assign(new Map<string, ConversationReplay>(), { save: async () => {} }),
		findFolderNames: async (folder) => [folder],
		startDaemon: start,
		startReader: start,
		connectDaemon: start,
		serveMcp: async () => {},
		openWholeSession: openWholeSession,
	});
	stdout.end();
	stderr.end();
	return { code, out: await text(stdout), err: await text(stderr), fake };
}

/** Returns the params of the first request of a method that the command sent. */
export function sent({ fake }: Run, method: string): unknown {
	return fake?.messages.find((one) => one.method === method)?.params;
}
