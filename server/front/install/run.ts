import { type FrontIo, writePlainLines } from '../console/terminal.ts';
import { makePrintable } from '../output/printable.ts';
import type { InstallCommand } from './command.ts';
import { installableAgentsByName, uninstallAgent } from './installable.ts';
import type { InstallPlace } from './parts/agent.ts';

/** Installs contextd into an agent, or removes it. */
export async function runInstall(
	{ name, agent }: InstallCommand,
	place: InstallPlace,
	io: FrontIo,
): Promise<void> {
	const report = await (name === 'install'
		? installableAgentsByName[agent].install(place)
		: uninstallAgent(agent, place));
	await writePlainLines(io, ...report.map(makePrintable));
}
