/** `contextd daemon`. */

import { type Arguments, helpHint, type ReportForm, reportFormOf } from '../console/arguments.ts';
import { daemonActions } from '../console/commandWords.ts';
import { badInput } from '../console/failure.ts';

export interface DaemonCommand {
	name: 'daemon';
	action: (typeof daemonActions)[number];
	/** The state folder; by default the usual one. */
	storage?: string;
	report: ReportForm;
}

/** Parses the arguments after `daemon`; throws with exit code 2 if they are invalid. */
export function daemonCommand({ values, positionals }: Arguments): DaemonCommand {
	const action = daemonActions.find((one) => one === positionals[0]);
	if (action === undefined || positionals.length > 1) {
		const got = positionals.length === 0 ? '' : `, got "${positionals.join(' ')}"`;
		throw badInput(`daemon: expected one of ${daemonActions.join(', ')}${got}; ${helpHint}`);
	}
	if (values.json && action !== 'status')
		throw badInput(`daemon ${action}: unknown option --json; ${helpHint}`);
	if (values.storage === '') throw badInput(`daemon: --storage needs the name of a folder; ${helpHint}`);
	return { name: 'daemon', action, storage: values.storage, report: reportFormOf(values) };
}
