/** Arguments of `contextd install`, `uninstall` and `doctor`. */

import { type Arguments, helpHint } from '../console/arguments.ts';
import { installableAgents } from '../console/commandWords.ts';
import { createInputFailure } from '../console/failure.ts';

export type AgentName = (typeof installableAgents)[number];

export interface InstallCommand {
	name: 'install' | 'uninstall';
	agent: AgentName;
}

/** Removes contextd from everything, with all that it stores. */
export interface PurgeCommand {
	name: 'purge';
	mode: 'ask' | 'yes';
}

/** Checks `agent`, or everything if it is absent. */
export interface DoctorCommand {
	name: 'doctor';
	agent?: AgentName;
}

/** Parses the operand of `install` or `uninstall`; throws with exit code 2 if the agent is unknown. */
export function parseInstallArguments(
	name: InstallCommand['name'],
	{ positionals }: Arguments,
): InstallCommand {
	return { name, agent: parseAgent(name, positionals) };
}

/** Parses the arguments of `uninstall`; throws with exit code 2 if they are invalid. */
export function parseUninstallArguments(args: Arguments): InstallCommand | PurgeCommand {
	const { values, positionals } = args;
	if (values.purge !== true) {
		if (values.yes === true)
			throw createInputFailure(`uninstall: --yes applies only to --purge; ${helpHint}`);
		return parseInstallArguments('uninstall', args);
	}
	if (positionals.length > 0)
		throw createInputFailure(
			`uninstall: --purge takes no agent, got "${positionals.join(' ')}"; ${helpHint}`,
		);
	return { name: 'purge', mode: values.yes === true ? 'yes' : 'ask' };
}

/** Parses the operand of `doctor`; throws with exit code 2 if the agent is unknown. */
export function parseDoctorArguments({ positionals }: Arguments): DoctorCommand {
	return positionals.length === 0
		? { name: 'doctor' }
		: { name: 'doctor', agent: parseAgent('doctor', positionals) };
}

function parseAgent(name: string, positionals: readonly string[]): AgentName {
	const [word, ...more] = positionals;
	const agent = installableAgents.find((one) => one === word);
	if (agent !== undefined && more.length === 0) return agent;
	const got = word === undefined ? '' : `, got "${positionals.join(' ')}"`;
	throw createInputFailure(`${name}: expected one of ${installableAgents.join(', ')}${got}; ${helpHint}`);
}
