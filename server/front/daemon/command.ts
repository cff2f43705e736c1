/** `contextd daemon`. */

import { parseOptions, seeHelp } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';
import type { HelpCommand } from '../transcript/commands.ts';

/** What the command does; `serve` is the program's own, and no part of the terminal front. */
export const daemonActions = ['status', 'stop', 'log'] as const;

export interface DaemonCommand {
	name: 'daemon';
	action: (typeof daemonActions)[number];
	/** The state folder; by default the usual one. */
	storage?: string;
	report: 'text' | 'json';
}

const options = {
	storage: { type: 'string' },
	json: { type: 'boolean' },
	help: { type: 'boolean', short: 'h' },
} as const;

/** Parses what follows `daemon`; fails with exit code 2 if it makes no sense. */
export function daemonCommand(args: string[]): DaemonCommand | HelpCommand {
	const { values, positionals } = parseOptions('daemon', args, options);
	if (values.help) return { name: 'help', topic: 'daemon' };
	const action = daemonActions.find((one) => one === positionals[0]);
	if (action === undefined || positionals.length > 1) {
		const got = positionals.length === 0 ? '' : `, got "${positionals.join(' ')}"`;
		throw badInput(`daemon: expected one of ${daemonActions.join(', ')}${got}; ${seeHelp}`);
	}
	if (values.json && action !== 'status')
		throw badInput(`daemon ${action}: unknown option --json; ${seeHelp}`);
	if (values.storage === '') throw badInput(`daemon: --storage needs the name of a folder; ${seeHelp}`);
	return { name: 'daemon', action, storage: values.storage, report: values.json ? 'json' : 'text' };
}
