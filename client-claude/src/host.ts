/** The part of Claude Code's interface for mods that is used here. It is early access: a missing part must not break a request. */

import { withinTime } from '../../kit/timeouts.ts';

/** An answer to a request over the network. */
export interface HttpAnswer {
	status: number;
	ok: boolean;
	/** Empty if `isStreaming` is set: Claude Code then passes the body on itself. */
	text: string;
	isStreaming?: true;
}

/** How a request is sent. */
export interface HttpInit {
	method?: string;
	headers?: Readonly<Record<string, string>>;
	/** A text, or bytes in an object. */
	body?: unknown;
	/** An absolute path of at most some 100 bytes. */
	socketPath?: string;
}

/** What a hook can use. */
export interface Host {
	plugin: { root: string };
	process: {
		/** Leaving the loop over the child's output ends the child. */
		spawn(request: {
			argv: readonly string[];
			cwd?: string;
			env?: Readonly<Record<string, string>>;
		}): AsyncIterable<{ stream: 'stdout' | 'stderr'; text: string }>;
		hookEnv(): Promise<Readonly<Record<string, string>>>;
	};
	http: { fetch(url: string, init?: HttpInit): Promise<HttpAnswer> };
	fs: {
		/** The text of a file of at most 4 MiB. */
		read(path: string): Promise<string>;
		/** Bytes of a file. */
		size(path: string): Promise<number>;
		/** At most `length` bytes of a file. */
		bytes(path: string, offset: number, length: number): Promise<Uint8Array>;
	};
	/** Milliseconds. */
	clock: { sleep(ms: number): Promise<void> };
	session: {
		cwd(): Promise<string>;
		usage(): Promise<{ context: { window?: number } }>;
		/** The newest messages of the main conversation, or of a subagent's, oldest first. */
		messages(args: { last: number; agentId?: string }): Promise<readonly { role: string; text: string }[]>;
	};
	ui: { status(text: string | undefined): void; log(text: string): void };
	command: {
		register(command: { name: string; description: string; argumentHint?: string }): Promise<unknown>;
	};
	tool: {
		register(tool: {
			name: string;
			description: string;
			inputSchema: object;
			isDeferred: boolean;
		}): Promise<unknown>;
	};
}

/** What Claude Code passes to a hook: its file system can read ranges of bytes. */
export interface HookHost extends Omit<Host, 'fs'> {
	fs: {
		read(path: string): Promise<string>;
		read(path: string, range: { as: 'bytes'; offset: number; length: number }): Promise<{ base64: string }>;
		stat(path: string): Promise<{ size: number }>;
	};
}

/** Continues with the next handler of an event. */
export interface NextHandler<Event, Result> {
	(event: Event): Promise<Result>;
	/** Who raised the event: `engine`, or a plugin. */
	origin?: { plugin?: string };
}

/** The result of a hook of `http.fetch`. */
export interface FetchResult {
	value?: HttpAnswer;
}

/** The events that are handled here, with their parameters and results. */
export interface HostEvents {
	'session.start': { event: { cwd: string; isInteractive: boolean }; result: unknown };
	'http.fetch': { event: { url: string; init: HttpInit }; result: FetchResult };
	'session.compact': { event: CompactEvent; result: { skip: string } | object };
	'session.measure': { event: { context: { window?: number } }; result: unknown };
	'turn.complete': { event: { agentId?: string }; result: unknown };
	'command.run': {
		event: { command: string; args: string };
		result: { text: string; isTextDisplayOnly?: boolean };
	};
	'tool.call': { event: Readonly<Record<string, unknown>>; result: { result: string } | object };
}

/** A compaction that is about to happen. */
export interface CompactEvent {
	trigger: 'manual' | 'auto' | 'plugin' | 'precompute';
	/** A subagent's own; absent for the main conversation. */
	agentId?: string;
	instructions?: string;
}

/** One request to the model. */
export interface StepEvent {
	/** Index of the request in the turn, from 0. */
	index: number;
	/** The subagent that makes it; absent for the main conversation. */
	agentId?: string;
}

/** The result of one request to the model. */
export interface StepResult {
	/** Null if there was no answer. */
	stopReason: string | null;
	/** Null if there was no answer. */
	usage: {
		input_tokens: number;
		output_tokens: number;
		cache_read_input_tokens: number;
		cache_creation_input_tokens: number;
	} | null;
}

/** A hook of one event. */
export type EventHook<Name extends keyof HostEvents> = (
	$: HookHost,
	event: HostEvents[Name]['event'],
	next: NextHandler<HostEvents[Name]['event'], HostEvents[Name]['result']>,
) => Promise<HostEvents[Name]['result']>;

/** Makes the request to the model; each call makes another one. */
export type NextStep = (event: StepEvent) => AsyncGenerator<unknown, StepResult>;

/** A hook of `turn.step`, which passes on the items of the request. */
export type StepHook = ($: HookHost, event: StepEvent, next: NextStep) => AsyncGenerator<unknown, StepResult>;

/** Registers hooks. */
export interface RegisterHook {
	<Name extends keyof HostEvents>(name: Name, hook: EventHook<Name>): unknown;
	<Name extends keyof HostEvents>(
		name: Name,
		matcher: Readonly<Record<string, string>>,
		hook: EventHook<Name>,
	): unknown;
	(name: 'turn.step', hook: StepHook): unknown;
}

/** Thrown if something took too long. */
export class TimeoutError extends Error {
	constructor(what: string, ms: number) {
		super(`${what} took longer than ${ms} ms`);
		this.name = 'TimeoutError';
	}
}

/** Returns the result of a task. Rejects with `TimeoutError` after `ms` milliseconds; the task continues. */
export function withTimeout<Result>(
	host: Host,
	what: string,
	ms: number,
	task: Promise<Result>,
): Promise<Result> {
	return withinTime(task, host.clock.sleep(ms), () => new TimeoutError(what, ms));
}
