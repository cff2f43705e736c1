/** The part of Claude Code's interface for mods that contextd uses. The interface is early access: parts may be missing. */

import { rejectOnTimeout } from '../../kit/timeouts.ts';

/** An answer to a network request. */
export interface HttpAnswer {
	status: number;
	ok: boolean;
	/** The body; empty if `isStreaming` is set, because Claude Code then forwards the body itself. */
	text: string;
	isStreaming?: true;
}

/** Method, headers, body and target of a network request. */
export interface HttpInit {
	method?: string;
	headers?: Readonly<Record<string, string>>;
	/** The body: a text, or an object with bytes. */
	body?: unknown;
	/** Absolute path of a Unix socket to which the request is sent; at most about 100 bytes. */
	socketPath?: string;
}

/** Functions of Claude Code that a hook can call. */
export interface Host {
	plugin: { root: string };
	process: {
		/** Starts a child process and returns its output. Leaving the loop over the output ends the child. */
		spawn(request: {
			argv: readonly string[];
			cwd?: string;
			env?: Readonly<Record<string, string>>;
		}): AsyncIterable<{ stream: 'stdout' | 'stderr'; text: string }>;
		hookEnv(): Promise<Readonly<Record<string, string>>>;
	};
	http: { fetch(url: string, init?: HttpInit): Promise<HttpAnswer> };
	fs: {
		/** Reads the text of a file of at most 4 MiB. */
		read(path: string): Promise<string>;
		/** Returns the size of a file in bytes. */
		size(path: string): Promise<number>;
		/** Reads at most `length` bytes of a file. */
		bytes(path: string, offset: number, length: number): Promise<Uint8Array>;
	};
	/** The clock, in milliseconds. */
	clock: { sleep(ms: number): Promise<void> };
	session: {
		cwd(): Promise<string>;
		usage(): Promise<{ context: { window?: number } }>;
		/** Returns the newest messages of the main conversation, or of a subagent's conversation, oldest first. */
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

/** The host as Claude Code passes it to a hook, with its own functions for reading files. */
export interface HookHost extends Omit<Host, 'fs'> {
	fs: {
		read(path: string): Promise<string>;
		read(path: string, range: { as: 'bytes'; offset: number; length: number }): Promise<{ base64: string }>;
		stat(path: string): Promise<{ size: number }>;
	};
}

/** Calls the next handler of an event. */
export interface NextHandler<Event, Result> {
	(event: Event): Promise<Result>;
	/** The plugin that raised the event; `engine` for Claude Code itself. */
	origin?: { plugin?: string };
}

/** The result of a hook of `http.fetch`. */
export interface FetchResult {
	value?: HttpAnswer;
}

/** The events for which contextd registers hooks, with their parameters and results. */
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
	/** Id of the subagent whose conversation is compacted; absent for the main conversation. */
	agentId?: string;
	instructions?: string;
}

/** One request to the model. */
export interface StepEvent {
	/** Index of the request in the turn, from 0. */
	index: number;
	/** Id of the subagent that makes the request; absent for the main conversation. */
	agentId?: string;
}

/** The result of one request to the model. */
export interface StepResult {
	/** Why the answer ended; null if there was no answer. */
	stopReason: string | null;
	/** The token usage that the provider reported; null if there was no answer. */
	usage: {
		input_tokens: number;
		output_tokens: number;
		cache_read_input_tokens: number;
		cache_creation_input_tokens: number;
	} | null;
}

/** A hook for one event. */
export type EventHook<Name extends keyof HostEvents> = (
	$: HookHost,
	event: HostEvents[Name]['event'],
	next: NextHandler<HostEvents[Name]['event'], HostEvents[Name]['result']>,
) => Promise<HostEvents[Name]['result']>;

/** Makes the request to the model. A second call makes a second request. */
export type NextStep = (event: StepEvent) => AsyncGenerator<unknown, StepResult>;

/** A hook for `turn.step`, which forwards the items of the model's answer. */
export type StepHook = ($: HookHost, event: StepEvent, next: NextStep) => AsyncGenerator<unknown, StepResult>;

/** Claude Code's function for registering hooks. */
export interface RegisterHook {
	<Name extends keyof HostEvents>(name: Name, hook: EventHook<Name>): unknown;
	<Name extends keyof HostEvents>(
		name: Name,
		matcher: Readonly<Record<string, string>>,
		hook: EventHook<Name>,
	): unknown;
	(name: 'turn.step', hook: StepHook): unknown;
}

/** Thrown if a task took too long. */
export class TimeoutError extends Error {
	constructor(taskName: string, ms: number) {
		super(`${taskName} took longer than ${ms} ms`);
		this.name = 'TimeoutError';
	}
}

/** Returns the result of a task. Rejects with `TimeoutError` after `ms` milliseconds; the task continues. */
export function withTimeout<T>(host: Host, taskName: string, ms: number, task: Promise<T>): Promise<T> {
	return rejectOnTimeout(task, host.clock.sleep(ms), () => new TimeoutError(taskName, ms));
}
