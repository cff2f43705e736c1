/** `contextd install`, `uninstall` and `doctor`. */

import { type Arguments, seeHelp } from '../console/arguments.ts';
import { badInput } from '../console/failure.ts';

/** The agents that contextd can be installed into. */
export const installableAgents = ['claude', 'opencode', 'pi'] as const;

export type AgentName = (typeof installableAgents)[number];

const works = ['install', 'uninstall', 'doctor'] as const;

/** One of the three commands, for one agent; `doctor` may be for all agents with contextd. */
export type InstallCommand =
	| { name: 'install' | 'uninstall'; agent: AgentName }
	| { name: 'doctor'; agent?: AgentName };

/** Whether a word is one of the three commands. */
export function isInstallWork(word: string | undefined): word is InstallCommand['name'] {
	return works.some((work) => work === word);
}

/** Parses the operands of the command; throws with exit code 2 if the agent is unknown. */
export function installCommand(name: InstallCommand['name'], { positionals }: Arguments): InstallCommand {
	const [word, ...more] = positionals;
	if (name === 'doctor' && word === undefined) return { name };
	const agent = installableAgents.find((one) => one === word);
	if (agent !== undefined && more.length === 0) return { name, agent };
	const got = word === undefined ? '' : `, got "${positionals.join(' ')}"`;
	throw badInput(`${name}: expected one of ${installableAgents.join(', ')}${got}; ${seeHelp}`);
}
