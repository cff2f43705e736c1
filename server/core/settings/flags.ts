/** The daemon's command line. */

import type { Framing } from '../../protocol/capabilities.ts';
import { findSimilarName } from '../nearName.ts';

export interface Flags {
	framing: Framing;
	/** Stands in for an absent `processId` of `initialize`. */
	clientProcessId?: number;
	/** The path of a socket that is served by HTTP, in place of the standard input and output. */
	httpSocket?: string;
	/** The path of a file that holds all settings; the environment counts for nothing then. */
	settingsFrom?: string;
	/** What the flags set, in the shape of the settings. */
	layer: Record<string, Record<string, unknown> | unknown>;
	/** One sentence each. */
	warnings: string[];
}

/** A flag with what it does, for who asks for help. */
interface Flag {
	/** What stands for its value; absent where it takes none. */
	value?: string;
	meaning: string;
	take(flags: Flags, value: string): void;
}

function setCompaction(flags: Flags, key: string, value: unknown): void {
	flags.layer.compaction = { ...(flags.layer.compaction as object | undefined), [key]: value };
}

const known: Readonly<Record<string, Flag>> = {
	'--stdio': { meaning: 'serve the standard input and output; the default', take() {} },
	'--isolated': {
		meaning: 'serve in this process, without the daemon that other clients use',
		take() {},
	},
	'--framing': {
		value: 'F',
		meaning: 'content-length (the default) or ndjson, a JSON object a line',
		take(flags, value) {
			if (value === 'ndjson' || value === 'content-length') flags.framing = value;
			else flags.warnings.push(`--framing: expected "content-length" or "ndjson", got "${value}"`);
		},
	},
	'--clientProcessId': {
		value: 'N',
		meaning: 'end with this process, where initialize names none',
		take(flags, value) {
			const id = Number(value);
			if (Number.isSafeInteger(id) && id > 0) flags.clientProcessId = id;
			else flags.warnings.push(`--clientProcessId: expected a process id, got "${value}"`);
		},
	},
	'--http-socket': {
		value: 'PATH',
		meaning: 'serve a plugin by HTTP over a Unix socket there, as long as --clientProcessId lives',
		take(flags, value) {
			flags.httpSocket = value;
		},
	},
	'--settings-from': {
		value: 'FILE',
		meaning: 'take the settings from this JSON file alone, and nothing from the environment',
		take(flags, value) {
			flags.settingsFrom = value;
		},
	},
	'--compact-threshold': {
		value: 'N',
		meaning: 'share of the window, 0 to 1, from which on room is made; by default 0.8',
		take: (flags, value) => setCompaction(flags, 'threshold', value === '' ? value : Number(value)),
	},
	'--disable-compaction': {
		meaning: 'make room only where that is asked for',
		take: (flags) => setCompaction(flags, 'enabled', false),
	},
	'--storage': {
		value: 'DIR',
		meaning: 'where sessions are kept',
		take(flags, value) {
			flags.layer.storage = { directory: value };
		},
	},
	'--log-level': {
		value: 'L',
		meaning: 'off, error, warning, info (the default) or debug',
		take(flags, value) {
			flags.layer.logLevel = value;
		},
	},
};

/** Every flag as it is typed, with what it does. */
export const flagUsages: readonly (readonly [flag: string, meaning: string])[] = Object.entries(known).map(
	([name, { value, meaning }]) => [value === undefined ? name : `${name} ${value}`, meaning],
);

function unknownFlag(name: string): string {
	const near = findSimilarName(name, [...Object.keys(known), '--help', '--version']);
	const hint = near === undefined || near === name ? '' : ` (did you mean ${near}?)`;
	return `unknown flag "${name}"${hint}`;
}

/** Reads the arguments; an unknown flag, or one without its value, is a warning. */
export function parseFlags(argv: readonly string[]): Flags {
	const flags: Flags = { framing: 'content-length', layer: {}, warnings: [] };
	for (let index = 0; index < argv.length; index++) {
		const word = argv[index] ?? '';
		const equals = word.indexOf('=');
		const name = equals < 0 ? word : word.slice(0, equals);
		const flag = Object.hasOwn(known, name) ? known[name] : undefined;
		const takesValue = flag?.value !== undefined;
		if (!flag || (!takesValue && equals >= 0)) flags.warnings.push(unknownFlag(name));
		else if (!takesValue) flag.take(flags, '');
		else if (equals >= 0) flag.take(flags, word.slice(equals + 1));
		else if (argv[index + 1] !== undefined) flag.take(flags, argv[++index] ?? '');
		else flags.warnings.push(`${name}: expected a value`);
	}
	return flags;
}
