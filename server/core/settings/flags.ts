/** Parses the command line of the daemon. */

import type { Framing } from '../../protocol/capabilities.ts';
import type { Fields } from '../shape.ts';
import { findSimilarName } from '../similarName.ts';
import { setSetting } from './settingsKey.ts';

export interface DaemonFlags {
	framing: Framing;
	/** Id of the client's process, used if `initialize` has no `processId`. */
	clientProcessId?: number;
	/** Path of a Unix socket on which to serve HTTP, instead of standard input and output. */
	httpSocket?: string;
	/** Path of a file with all settings; if set, the environment is ignored. */
	settingsFrom?: string;
	/** The settings that the flags set, as a layer. */
	layer: Fields;
	/** Warnings for the user, one sentence each. */
	warnings: string[];
}

interface FlagDescription {
	/** Placeholder for the flag's value; absent if the flag takes none. */
	value?: string;
	meaning: string;
	apply(flags: DaemonFlags, value: string): void;
}

const knownFlags: Readonly<Record<string, FlagDescription>> = {
	'--stdio': { meaning: 'serve standard input and output (default)', apply() {} },
	'--isolated': { meaning: 'serve in this process instead of the shared daemon', apply() {} },
	'--framing': {
		value: 'F',
		meaning: 'content-length (default) or ndjson, one JSON object per line',
		apply(flags, value) {
			if (value === 'ndjson' || value === 'content-length') flags.framing = value;
			else flags.warnings.push(`--framing: expected "content-length" or "ndjson", got "${value}"`);
		},
	},
	'--clientProcessId': {
		value: 'N',
		meaning: 'exit when this process exits, unless initialize names another',
		apply(flags, value) {
			const id = Number(value);
			if (Number.isSafeInteger(id) && id > 0) flags.clientProcessId = id;
			else flags.warnings.push(`--clientProcessId: expected a process id, got "${value}"`);
		},
	},
	'--http-socket': {
		value: 'PATH',
		meaning: 'serve a plugin by HTTP over this Unix socket while the process of --clientProcessId runs',
		apply(flags, value) {
			flags.httpSocket = value;
		},
	},
	'--settings-from': {
		value: 'FILE',
		meaning: 'read all settings from this JSON file, and none from the environment',
		apply(flags, value) {
			flags.settingsFrom = value;
		},
	},
	'--compact-threshold': {
		value: 'N',
		meaning: 'share of the available tokens, 0 to 1, at which to compact (default 0.8)',
		apply: ({ layer }, value) =>
			setSetting(layer, 'compaction.threshold', value === '' ? value : Number(value)),
	},
	'--disable-compaction': {
		meaning: 'compact only on request',
		apply: ({ layer }) => setSetting(layer, 'compaction.enabled', false),
	},
	'--storage': {
		value: 'DIR',
		meaning: 'folder in which sessions are stored',
		apply(flags, value) {
			flags.layer.storage = { directory: value };
		},
	},
	'--log-level': {
		value: 'L',
		meaning: 'off, error, warning, info (default) or debug',
		apply(flags, value) {
			flags.layer.logLevel = value;
		},
	},
};

/** All flags as they are typed, with their descriptions. */
export const flagUsages: readonly (readonly [flag: string, meaning: string])[] = Object.entries(
	knownFlags,
).map(([name, { value, meaning }]) => [value === undefined ? name : `${name} ${value}`, meaning]);

function describeUnknownFlag(name: string): string {
	const similarName = findSimilarName(name, [...Object.keys(knownFlags), '--help', '--version', '-h', '-v']);
	const hint = similarName === undefined || similarName === name ? '' : ` (did you mean ${similarName}?)`;
	return `unknown flag "${name}"${hint}`;
}

/** Parses arguments. An unknown flag, or one without its value, becomes a warning. */
export function parseFlags(argv: readonly string[]): DaemonFlags {
	const flags: DaemonFlags = { framing: 'content-length', layer: {}, warnings: [] };
	for (let index = 0; index < argv.length; index++) {
		const word = argv[index] ?? '';
		const equalsIndex = word.indexOf('=');
		const name = equalsIndex < 0 ? word : word.slice(0, equalsIndex);
		const flag = Object.hasOwn(knownFlags, name) ? knownFlags[name] : undefined;
		const takesValue = flag?.value !== undefined;
		if (!flag || (!takesValue && equalsIndex >= 0)) flags.warnings.push(describeUnknownFlag(name));
		else if (!takesValue) flag.apply(flags, '');
		else if (equalsIndex >= 0) flag.apply(flags, word.slice(equalsIndex + 1));
		else if (argv[index + 1] !== undefined) flag.apply(flags, argv[++index] ?? '');
		else flags.warnings.push(`${name}: expected a value`);
	}
	return flags;
}
