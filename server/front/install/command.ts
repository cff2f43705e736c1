/** `contextd install`, `uninstall` and `doctor`. */

import { parseOptions, seeHelp } from '../console/arguments.ts';
import { badInput, workFailed } from '../console/failure.ts';
import { type FrontIo, writeLines } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { printable } from '../output/printable.ts';
import type { HelpCommand } from '../transcript/commands.ts';
import { claude } from './claude/claude.ts';
import type { Finding, InstallableAgent, InstallPlace } from './parts/agent.ts';
import { openCode, pi } from './pluginFile/agents.ts';

/** All agents that there are. */
const agents: readonly InstallableAgent[] = [claude, openCode, pi];

/** Their names. */
export const agentNames: readonly string[] = agents.map(({ name }) => name);

const works = ['install', 'uninstall', 'doctor'] as const;

/** One of the three commands, for one agent. */
export interface InstallCommand {
	name: (typeof works)[number];
	agent: string;
}

/** Whether a word names one of the three commands. */
export function isInstallWork(word: string | undefined): word is InstallCommand['name'] {
	return works.some((work) => work === word);
}

/** Reads what stands behind the command's name; fails with exit code 2 where no agent of that name is known. */
export function installCommand(name: InstallCommand['name'], args: string[]): InstallCommand | HelpCommand {
	const { values, positionals } = parseOptions(name, args, { help: { type: 'boolean', short: 'h' } });
	if (values.help) return { name: 'help', topic: name };
	const [agent] = positionals;
	if (agent !== undefined && positionals.length === 1 && agentNames.includes(agent)) return { name, agent };
	throw badInput(
		`${name}: expected one of ${agentNames.join(', ')}, got "${positionals.join(' ')}"; ${seeHelp}`,
	);
}

/** Runs one of the three commands; `doctor` fails with exit code 1 where a part is not as it should be. */
export async function runInstall(command: InstallCommand, place: InstallPlace, io: FrontIo): Promise<void> {
	const agent = agents.find(({ name }) => name === command.agent);
	if (agent === undefined) throw badInput(`${command.name}: no agent ${command.agent}`);
	if (command.name === 'doctor') {
		const findings = await agent.doctor(place);
		await writeLines(io.stdout, findings.map(findingLine), io.env);
		const wrong = findings.filter(({ isSound }) => isSound === false).length;
		if (wrong > 0)
			throw workFailed(`${wrong} of the parts for ${agent.title} ${wrong === 1 ? 'is' : 'are'} wrong`);
		return;
	}
	const done = await agent[command.name](place);
	await writeLines(
		io.stdout,
		done.map((text): Line => [span(printable(text))]),
		io.env,
	);
}

function findingLine({ isSound, text }: Finding): Line {
	if (isSound === undefined) return [span('· ', 'gray'), span(printable(text), 'gray')];
	return [isSound ? span('✓ ', 'green') : span('✗ ', 'red'), span(printable(text))];
}
