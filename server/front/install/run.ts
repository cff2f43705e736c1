import { rm } from 'node:fs/promises';
import { checkFoundSettings, type FoundSettings } from '../../core/settings/layers.ts';
import { workFailed } from '../console/failure.ts';
import { type FrontIo, writeLines } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { printable } from '../output/printable.ts';
import { claude } from './claude/claude.ts';
import type { AgentName, InstallCommand } from './command.ts';
import type { Finding, InstallableAgent, InstallPlace } from './parts/agent.ts';
import { dropSettings } from './parts/daemonStart.ts';
import { oneAtATime } from './parts/oneAtATime.ts';
import { programsFolder } from './parts/program.ts';
import { isInstalledAnywhere } from './parts/record.ts';
import { openCodePlugin, pi } from './pluginFile/pluginFile.ts';

const agents: Readonly<Record<AgentName, InstallableAgent>> = { claude, opencode: openCodePlugin, pi };

interface InstallIo extends FrontIo {
	/** The settings files that apply in the working folder. */
	settingsFiles(): Promise<FoundSettings[]>;
}

/** Runs one of the three commands; `doctor` fails with exit code 1 if a check fails. */
export async function runInstall(command: InstallCommand, place: InstallPlace, io: InstallIo): Promise<void> {
	if (command.name === 'doctor') return runDoctor(command.agent, place, io);
	const done = await agents[command.agent][command.name](place);
	if (command.name === 'uninstall') await removeUnused(place.stateFolder, Object.keys(agents));
	await writeLines(
		io.stdout,
		done.map((text): Line => [span(printable(text))]),
		io.env,
	);
}

/** Checks one agent, or all agents with contextd. */
async function runDoctor(name: AgentName | undefined, place: InstallPlace, io: InstallIo): Promise<void> {
	const settings = (await io.settingsFiles()).flatMap(settingsFindings);
	await writeLines(io.stdout, settings.map(findingLine), io.env);
	const checked: InstallableAgent[] = [];
	for (const agent of name === undefined ? Object.values(agents) : [agents[name]]) {
		if (name !== undefined || (await isInstalledAnywhere(place.stateFolder, agent.name))) checked.push(agent);
	}
	if (checked.length === 0) {
		throw workFailed(
			`not installed in any agent; run contextd install with one of ${Object.keys(agents).join(', ')}`,
		);
	}
	const all = [...settings];
	for (const agent of checked) {
		const findings = await agent.doctor(place);
		const [first] = findings;
		if (name !== undefined && findings.length === 1 && first?.isSound === false) throw workFailed(first.text);
		const title: Line[] = checked.length > 1 ? [[span(agent.title, 'bold')]] : [];
		await writeLines(io.stdout, [...title, ...findings.map(findingLine)], io.env);
		all.push(...findings);
	}
	const failed = all.filter(({ isSound }) => isSound === false).length;
	if (failed > 0) throw workFailed(`${failed} of ${all.length} checks failed`);
}

/** What a settings file sets, and its problems. */
function settingsFindings(file: FoundSettings): Finding[] {
	const { values, problems } = checkFoundSettings(file);
	const names = [...values.keys()].join(', ') || 'nothing';
	const whose = file.scope === 'user' ? 'your settings file' : 'the settings file of this project';
	return [
		{ text: `${whose}, ${file.path}, sets ${names}` },
		...problems.map(({ severity, message }) => ({
			isSound: severity === 'error' ? false : undefined,
			text: message,
		})),
	];
}

function findingLine({ isSound, text }: Finding): Line {
	if (isSound === undefined) return [span('· ', 'gray'), span(printable(text), 'gray')];
	return [isSound ? span('✓ ', 'green') : span('✗ ', 'red'), span(printable(text))];
}

/**
 * Removes copies of the program, and unchanged settings of daemons, if none of these agents uses contextd any more.
 * Journals and stored views remain.
 */
async function removeUnused(stateFolder: string, agents: readonly string[]): Promise<void> {
	await oneAtATime(stateFolder, async () => {
		for (const agent of agents) if (await isInstalledAnywhere(stateFolder, agent)) return;
		await rm(programsFolder(stateFolder), { recursive: true, force: true });
		await dropSettings(stateFolder);
	});
}
