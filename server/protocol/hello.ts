/**
 * The handshake of a relay with the daemon: each sends one line of JSON when a connection opens. Later, the daemon
 * sends notifications `$/contextd/…` that the relay does not forward. The thin `--stdio` process loads this file, so
 * it imports nothing.
 */

/** Version of the handshake and of the notifications. */
export const helloProtocol = 1;

/** Maximum length of a handshake line in bytes, including its line end. */
export const maxHelloBytes = 4 << 20;

/**
 * Argument for a daemon that inherits a connection to its parent process, as file descriptor `inheritedFd`. The daemon
 * answers a hello on that connection as on its socket.
 */
export const inheritFlag = '--inherit-connection';
export const inheritedFd = 3;

/** The first line of a relay, which introduces the process of its client. */
export interface Hello {
	/** Version of the handshake; a daemon with another version refuses the connection. */
	protocol: typeof helloProtocol;
	/** Version of the relay's contextd (semver). */
	version: string;
	/** Command line that starts the relay's own daemon, beginning with the program. */
	program: string[];
	pid: number;
	cwd: string;
	platform: NodeJS.Platform;
	/** The user's home folder. */
	home: string;
	/** Environment variables that contextd documents; unset ones are left out. */
	environment: Record<string, string>;
	/** The client's arguments, without the program and its file. */
	flags: string[];
	/** The secret in the daemon's address file; on Windows only. */
	secret?: string;
	/** The file of `--settings-from`, read and checked by the relay. */
	settingsFile?: { path: string; value: Record<string, unknown> };
}

/** The daemon's answer to a hello. */
export type HelloAnswer =
	| { kind: 'welcome'; version: string; pid: number }
	/** Another daemon takes over; the relay must connect again once this connection is closed. */
	| { kind: 'movingAside' }
	/** The daemon refuses the client; the reason is a sentence for the user. */
	| { kind: 'refused'; reason: string };

/** Sent instead of a hello, to get a `DaemonStatus` before the connection closes. */
export interface StatusQuestion {
	ask: 'status';
	secret?: string;
}

/** What a daemon reports about itself to the user. */
export interface DaemonStatus {
	version: string;
	pid: number;
	/** Number of connected clients. */
	clients: number;
	/** Number of open sessions. */
	sessions: number;
	/** Resident memory in bytes. */
	memoryBytes: number;
	/** Seconds since the start. */
	uptime: number;
}

/** A parsed first line of a relay. A hello of another protocol has only the members that all protocols share. */
export type ParsedHello =
	| { kind: 'hello'; hello: Hello }
	| { kind: 'status'; secret?: string }
	| { kind: 'foreign'; protocol: number; version: string; program?: string[] };

/** Notifications from the daemon to the relay; their methods begin with `$/contextd/`. */
export const relayMethods = {
	/** Log output for the client, as `LogParams`. */
	log: '$/contextd/log',
	/** The end of the conversation, as `ExitParams`. */
	exit: '$/contextd/exit',
	/** The start of the daemon's handover, as `MovedParams`. */
	moved: '$/contextd/moved',
	/** The end of the daemon's handover, as `LeftParams`. */
	left: '$/contextd/left',
} as const;

/** Text for the relay's standard error. */
export interface LogParams {
	text: string;
}

/** The conversation is over; the relay exits with this code. */
export interface ExitParams {
	code: number;
}

/** The daemon accepts no new requests and closes the connection soon. */
export interface MovedParams {
	/** Command line that starts the next daemon; absent: the relay's own. */
	program?: string[];
}

/**
 * The last message of a daemon that moved aside. The daemon has read only the first `received` messages of this
 * connection; the relay sends later ones to the next daemon. If the daemon answered a request with
 * `RequestCancelled` after `MovedParams`, and the client did not cancel that request, the request was interrupted.
 */
export interface LeftParams {
	received: number;
}

/** Thrown for an invalid handshake line; the message names the wrong member. */
export class HelloMalformed extends Error {}

type Members = Record<string, unknown>;

function isMembers(value: unknown): value is Members {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
	return typeof value === 'string';
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every(isText);
}

function isProgram(value: unknown): value is string[] {
	return isTexts(value) && value.length > 0;
}

function isPositiveInteger(value: unknown): boolean {
	return Number.isSafeInteger(value) && Number(value) > 0;
}

function isEnvironment(value: unknown): boolean {
	return isMembers(value) && Object.values(value).every(isText);
}

function isSettingsFile(value: unknown): boolean {
	return value === undefined || (isMembers(value) && isText(value.path) && isMembers(value.value));
}

const memberChecks: Readonly<Record<keyof Hello, (value: unknown) => boolean>> = {
	protocol: (value) => value === helloProtocol,
	version: isText,
	program: isProgram,
	pid: isPositiveInteger,
	cwd: isText,
	platform: isText,
	home: isText,
	environment: isEnvironment,
	flags: isTexts,
	secret: (value) => value === undefined || isText(value),
	settingsFile: isSettingsFile,
};

function membersIn(line: string): Members {
	let value: unknown;
	try {
		value = JSON.parse(line);
	} catch {
		throw new HelloMalformed('expected one line of JSON');
	}
	if (!isMembers(value)) throw new HelloMalformed('expected a JSON object');
	return value;
}

function requireMember(isGood: boolean, name: string): void {
	if (!isGood) throw new HelloMalformed(`${name}: missing or invalid`);
}

/** Parses the first line of a relay. @throws HelloMalformed */
export function parseHello(line: string): ParsedHello {
	const members = membersIn(line);
	const { ask, protocol, version, program, secret } = members;
	if (ask === 'status') return { kind: 'status', ...(isText(secret) && { secret }) };
	requireMember(isPositiveInteger(protocol), 'protocol');
	requireMember(isText(version), 'version');
	if (protocol !== helloProtocol) {
		const common = { protocol: Number(protocol), version: String(version) };
		return { kind: 'foreign', ...common, ...(isProgram(program) && { program }) };
	}
	for (const [name, isGood] of Object.entries(memberChecks)) requireMember(isGood(members[name]), name);
	return { kind: 'hello', hello: members as unknown as Hello };
}

/** Parses the daemon's answer to `StatusQuestion`. @throws HelloMalformed */
export function parseDaemonStatus(line: string): DaemonStatus {
	const members = membersIn(line);
	requireMember(isText(members.version), 'version');
	const numbers = ['pid', 'clients', 'sessions', 'memoryBytes', 'uptime'];
	for (const name of numbers) requireMember(typeof members[name] === 'number', name);
	return members as unknown as DaemonStatus;
}

/** Parses the daemon's answer to a hello. @throws HelloMalformed */
export function parseHelloAnswer(line: string): HelloAnswer {
	const members = membersIn(line);
	switch (members.kind) {
		case 'welcome':
			requireMember(isText(members.version), 'version');
			requireMember(isPositiveInteger(members.pid), 'pid');
			return { kind: 'welcome', version: String(members.version), pid: Number(members.pid) };
		case 'movingAside':
			return { kind: 'movingAside' };
		case 'refused':
			requireMember(isText(members.reason), 'reason');
			return { kind: 'refused', reason: String(members.reason) };
		default:
			throw new HelloMalformed('kind: expected welcome, movingAside or refused');
	}
}
