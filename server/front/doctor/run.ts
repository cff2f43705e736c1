/** `contextd doctor`: checks the installation, and says what to fix. */

import { checkFoundSettings, type FoundSettings } from '../../core/settings/layers.ts';
import { createWorkFailure } from '../console/failure.ts';
import { type FrontIo, writeLines } from '../console/terminal.ts';
import type { FindControl } from '../daemon/run.ts';
import type { AgentName } from '../install/command.ts';
import { installableAgentsByName } from '../install/installable.ts';
import type { Finding, InstallableAgent, Machine } from '../install/parts/agent.ts';
import { findOnPath } from '../install/parts/agentProgram.ts';
import { type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { checkEditedFiles, checkEditors, checkMachine } from './machine.ts';

/** The terminal, and what the checks read. */
export interface DoctorIo extends FrontIo {
	/** Returns the settings files that apply in the working folder. */
	findSettingsFiles(): Promise<FoundSettings[]>;
	findDaemon: FindControl;
}

/** Findings of one group, under a title. */
interface Section {
	title: string;
	findings: readonly Finding[];
}

/** Checks one agent, or everything; throws with exit code 1 if a check fails. */
export async function runDoctor(name: AgentName | undefined, machine: Machine, io: DoctorIo): Promise<void> {
	const sections =
		name === undefined
			? checkEverything(machine, io)
			: checkAgent(installableAgentsByName[name], machine, io);
	let failedCount = 0;
	let checkedCount = 0;
	for await (const { title, findings } of sections) {
		if (findings.length === 0) continue;
		const head: Line[] = title === '' ? [] : [[span(title, 'bold')]];
		await writeLines(io.stdout, [...head, ...findings.map(renderFinding)], io.env);
		failedCount += findings.filter(({ isSound }) => isSound === false).length;
		checkedCount += findings.length;
	}
	if (failedCount > 0) throw createWorkFailure(`${failedCount} of ${checkedCount} checks failed`);
}

async function* checkAgent(agent: InstallableAgent, machine: Machine, io: DoctorIo): AsyncGenerator<Section> {
	const settings = (await io.findSettingsFiles()).flatMap(checkSettingsFile);
	yield { title: '', findings: settings };
	const findings = await agent.check(machine);
	const [first] = findings;
	if (findings.length === 1 && first?.isSound === false) throw createWorkFailure(first.text);
	yield { title: '', findings };
}

async function* checkEverything(machine: Machine, io: DoctorIo): AsyncGenerator<Section> {
	const settings = (await io.findSettingsFiles()).flatMap(checkSettingsFile);
	yield { title: 'contextd', findings: [...settings, ...(await checkMachine(machine, io.findDaemon))] };
	for (const [command, agent] of Object.entries(installableAgentsByName)) {
		const { title } = agent;
		if ((await agent.findInstalledVersion(machine)) !== undefined) {
			yield { title, findings: await agent.check(machine) };
		} else if ((await findOnPath([command], machine)).length > 0) {
			const text = `contextd is not installed in it; run contextd install ${command}, or contextd setup`;
			yield { title, findings: [{ text }] };
		}
	}
	yield { title: 'Editors', findings: await checkEditors(machine) };
	yield { title: 'Edited files', findings: await checkEditedFiles(machine) };
}

/** Reports what a settings file sets, and its problems. */
function checkSettingsFile(file: FoundSettings): Finding[] {
	const { values, problems } = checkFoundSettings(file);
	const names = [...values.keys()].join(', ') || 'nothing';
	const owner = file.scope === 'user' ? 'your settings file' : 'the settings file of this project';
	return [
		{ text: `${owner}, ${file.path}, sets ${names}` },
		...problems.map(({ severity, message }) => ({
			isSound: severity === 'error' ? false : undefined,
			text: message,
		})),
	];
}

function renderFinding({ isSound, text }: Finding): Line {
	if (isSound === undefined) return [span('· ', 'gray'), span(makePrintable(text), 'gray')];
	return [isSound ? span('✓ ', 'green') : span('✗ ', 'red'), span(makePrintable(text))];
}
