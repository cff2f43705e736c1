/**
 * What a relay and the daemon say to each other before and between a client's own messages: one line of JSON each way
 * when a connection opens, then notifications `$/contextd/…` that the relay keeps to itself. Loaded by the thin
 * `--stdio` process, so it depends on nothing.
 */

/** Version of this handshake and of what follows it. */
export const helloProtocol = 1;

/** Bytes of the longest line of the handshake, its line end included. */
export const maxHelloBytes = 4 << 20;

/**
 * The argument of a daemon that inherits a connection to the process that started it, as file descriptor `inheritedFd`. It
 * answers the hello there as on its socket.
 */
export const inheritFlag = '--inherit-connection';
export const inheritedFd = 3;

/** The client's process, as its relay introduces it. */
export interface Hello {
	/** A daemon of another protocol refuses the connection. */
	protocol: typeof helloProtocol;
	/** The relay's contextd, as a semantic version. */
	version: string;
	/** The arguments that start the relay's own daemon, the program first. */
	program: string[];
	pid: number;
	cwd: string;
	platform: NodeJS.Platform;
	/** The user's home folder. */
	home: string;
	/** The variables that contextd documents, without those that are not set. */
	environment: Record<string, string>;
	/** The client's arguments, without the program and its file. */
	flags: string[];
	/** What the daemon's address holds on Windows. */
	secret?: string;
	/** The file of `--settings-from`, read and checked by the relay. */
	settingsFile?: { path: string; value: Record<string, unknown> };
}

/** The daemon's answer to a hello. */
export type HelloAnswer =
	| { kind: 'welcome'; version: string; pid: number }
	/** A newer daemon takes over: the relay connects again once this connection is closed. */
	| { kind: 'movingAside' }
	/** The reason is a sentence for the user. */
	| { kind: 'refused'; reason: string };

/** Asked in place of a hello: the daemon answers with a `DaemonStatus` and closes the connection. */
export interface StatusQuestion {
	ask: 'status';
	secret?: string;
}

/** What a daemon says of itself to the user. */
export interface DaemonStatus {
	version: string;
	pid: number;
	/** Connected clients. */
	clients: number;
	/** Sessions that are open in it. */
	sessions: number;
	/** Resident memory. */
	memoryBytes: number;
	/** Seconds since it was started. */
	uptime: number;
}

/** A relay's line that was read; of a hello of another protocol, only what all protocols have in common. */
export type ParsedHello =
	| { kind: 'hello'; hello: Hello }
	| { kind: 'status'; secret?: string }
	| { kind: 'foreign'; protocol: number; version: string; program?: string[] };

/** Notifications of the daemon that are for the relay; their methods begin with `$/contextd/`. */
export const relayMethods = {
	/** `LogParams`. */
	log: '$/contextd/log',
	/** `ExitParams`. */
	exit: '$/contextd/exit',
	/** `MovedParams`. */
	moved: '$/contextd/moved',
	/** `LeftParams`. */
	left: '$/contextd/left',
} as const;

/** Text for the relay's error output. */
export interface LogParams {
	text: string;
}

/** The conversation is over; the relay ends with this code. */
export interface ExitParams {
	code: number;
}

/** The daemon takes no new requests and closes the connection soon. */
export interface MovedParams {
	/** The arguments that start the daemon to connect to next; absent: the relay's own. */
	program?: string[];
}

/**
 * The last message of a daemon that moved aside. What the relay sent after the first `received` messages of this
 * connection was not read, so the next daemon gets it. A request that was answered with `RequestCancelled` since
 * `MovedParams`, although the client did not cancel it, was cut short.
 */
export interface LeftParams {
	received: number;
}

/** A line of the handshake that cannot be understood; the message says which member is wrong. */
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

const checks: Readonly<Record<keyof Hello, (value: unknown) => boolean>> = {
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
	if (!isGood) throw new HelloMalformed(`${name}: not what a hello holds there`);
}

/** Reads a relay's line. @throws HelloMalformed */
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
	for (const [name, isGood] of Object.entries(checks)) requireMember(isGood(members[name]), name);
	return { kind: 'hello', hello: members as unknown as Hello };
}

/** Reads the daemon's answer to `StatusQuestion`. @throws HelloMalformed */
export function parseDaemonStatus(line: string): DaemonStatus {
	const members = membersIn(line);
	requireMember(isText(members.version), 'version');
	const numbers = ['pid', 'clients', 'sessions', 'memoryBytes', 'uptime'];
	for (const name of numbers) requireMember(typeof members[name] === 'number', name);
	return members as unknown as DaemonStatus;
}

/** Reads the daemon's answer to a hello. @throws HelloMalformed */
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
