import { workFailed } from '../console/failure.ts';
import { type FrontIo, writeLines } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { printable } from '../output/printable.ts';
import { claude } from './claude/claude.ts';
import type { AgentName, InstallCommand } from './command.ts';
import type { Finding, InstallableAgent, InstallPlace } from './parts/agent.ts';
import { removeUnused } from './parts/unused.ts';
import { openCode, pi } from './pluginFile/agents.ts';

const agents: Readonly<Record<AgentName, InstallableAgent>> = { claude, opencode: openCode, pi };

/** Runs one of the three commands; `doctor` fails with exit code 1 where a part is not as it should be. */
export async function runInstall(command: InstallCommand, place: InstallPlace, io: FrontIo): Promise<void> {
	const agent = agents[command.agent];
	if (command.name === 'doctor') {
		const findings = await agent.doctor(place);
		await writeLines(io.stdout, findings.map(findingLine), io.env);
		const wrong = findings.filter(({ isSound }) => isSound === false).length;
		if (wrong > 0)
			throw workFailed(`${wrong} of the parts for ${agent.title} ${wrong === 1 ? 'is' : 'are'} wrong`);
		return;
	}
	const done = await agent[command.name](place);
	if (command.name === 'uninstall') await removeUnused(place.stateFolder, Object.keys(agents));
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
