/** Arguments of `contextd daemon`. */

import { type Arguments, chooseReportFormat, helpHint, type ReportFormat } from '../console/arguments.ts';
import { daemonActions } from '../console/commandWords.ts';
import { createInputFailure } from '../console/failure.ts';

export interface DaemonCommand {
	name: 'daemon';
	action: (typeof daemonActions)[number];
	/** State folder; by default the user's. */
	storage?: string;
	report: ReportFormat;
}

/** Parses the arguments after `daemon`; throws with exit code 2 if they are invalid. */
export function parseDaemonArguments({ values, positionals }: Arguments): DaemonCommand {
	const action = daemonActions.find((one) => one === positionals[0]);
	if (action === undefined || positionals.length > 1) {
		const got = positionals.length === 0 ? '' : `, got "${positionals.join(' ')}"`;
		throw createInputFailure(`daemon: expected one of ${daemonActions.join(', ')}${got}; ${helpHint}`);
	}
	if (values.json && action !== 'status')
		throw createInputFailure(`daemon ${action}: unknown option --json; ${helpHint}`);
	if (values.storage === '')
		throw createInputFailure(`daemon: --storage needs the name of a folder; ${helpHint}`);
	return { name: 'daemon', action, storage: values.storage, report: chooseReportFormat(values) };
}
