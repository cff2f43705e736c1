/** The daemon's command line. */

import type { Framing } from '../../protocol/capabilities.ts';
import { nearName } from '../nearName.ts';

export interface Flags {
	framing: Framing;
	/** Stands in for an absent `processId` of `initialize`. */
	clientProcessId?: number;
	/** What the flags set, in the shape of the settings. */
	layer: Record<string, Record<string, unknown> | unknown>;
	/** One sentence each. */
	warnings: string[];
}

type Take = (flags: Flags, value: string) => void;

function setCompaction(flags: Flags, key: string, value: unknown): void {
	flags.layer.compaction = { ...(flags.layer.compaction as object | undefined), [key]: value };
}

/** Flags that take a value. */
const valued: Readonly<Record<string, Take>> = {
	'--framing': (flags, value) => {
		if (value === 'ndjson' || value === 'content-length') flags.framing = value;
		else flags.warnings.push(`--framing: expected "content-length" or "ndjson", got "${value}"`);
	},
	'--clientProcessId': (flags, value) => {
		const id = Number(value);
		if (Number.isSafeInteger(id) && id > 0) flags.clientProcessId = id;
		else flags.warnings.push(`--clientProcessId: expected a process id, got "${value}"`);
	},
	'--compact-threshold': (flags, value) =>
		setCompaction(flags, 'threshold', value === '' ? value : Number(value)),
	'--storage': (flags, value) => {
		flags.layer.storage = { directory: value };
	},
	'--log-level': (flags, value) => {
		flags.layer.logLevel = value;
	},
};

/** Flags that stand alone. */
const plain: Readonly<Record<string, (flags: Flags) => void>> = {
	'--stdio': () => {},
	'--disable-compaction': (flags) => setCompaction(flags, 'enabled', false),
};

function unknownFlag(name: string): string {
	const near = nearName(name, [...Object.keys(valued), ...Object.keys(plain), '--help', '--version']);
	return `unknown flag "${name}"${near === undefined ? '' : ` (did you mean ${near}?)`}`;
}

/** Reads the arguments; an unknown flag, or one without its value, is a warning. */
export function parseFlags(argv: readonly string[]): Flags {
	const flags: Flags = { framing: 'content-length', layer: {}, warnings: [] };
	for (let index = 0; index < argv.length; index++) {
		const word = argv[index] ?? '';
		const equals = word.indexOf('=');
		const name = equals < 0 ? word : word.slice(0, equals);
		const take = Object.hasOwn(valued, name) ? valued[name] : undefined;
		if (take && equals >= 0) take(flags, word.slice(equals + 1));
		else if (take && argv[index + 1] !== undefined) take(flags, argv[++index] ?? '');
		else if (take) flags.warnings.push(`${name}: expected a value`);
		else if (Object.hasOwn(plain, word)) plain[word]?.(flags);
		else flags.warnings.push(unknownFlag(name));
	}
	return flags;
}
