/** Runs `contextd setup`. */

import { join } from 'node:path';
import { formatCount } from '../../core/figures.ts';
import { contextDiscover } from '../../protocol/transcript.ts';
import { askPerson } from '../console/askPerson.ts';
import type { CommandDaemons } from '../console/daemon.ts';
import { createWorkFailure, describeFailure } from '../console/failure.ts';
import { createProgressLine } from '../console/progressLine.ts';
import { type FrontIo, measureColumns, writeLines } from '../console/terminal.ts';
import type { Machine } from '../install/parts/agent.ts';
import { type Line, span } from '../output/line.ts';
import { makePrintable } from '../output/printable.ts';
import { askToRecord } from '../record/consent.ts';
import { planAgentParts } from './agentParts.ts';
import type { SetupCommand } from './command.ts';
import { planEditorParts } from './editorParts.ts';
import { SetupManifest } from './manifest.ts';
import type { SetupMachine, SetupPart } from './part.ts';
import { createPasteParts, findPasteLines, type PasteLines } from './pasteLines.ts';
import { renderChanges, renderPasteLines, renderPlan } from './planView.ts';
import { planSnippetParts } from './snippets.ts';
import { undoSetup } from './undo.ts';

/** The terminal, and the daemons that setup needs. */
export interface SetupIo extends FrontIo, CommandDaemons {
	showSampleMeter(file: string): Promise<void>;
}

/** Runs `contextd setup`; throws with exit code 1 if a part fails, after all other parts were set up. */
export async function runSetup({ mode }: SetupCommand, machine: Machine, io: SetupIo): Promise<void> {
	const manifest = await SetupManifest.read(machine.stateFolder);
	if (mode === 'undo') return undoSetup(machine, manifest, io);
	const plan = await findParts({ ...machine, sessionAgents: await findAgentsWithSessions(io) });
	const parts = [...plan.agents, ...plan.others];
	await printLines(io, renderPlan(parts, measureColumns(io.stdout, io.env)));
	if (mode === 'dry-run') {
		const note: Line = [span('Nothing was written.', 'gray')];
		return printLines(io, [...(await renderChanges(parts)), ...renderPasteLines(plan.pasteLines), [], note]);
	}
	const pendingParts = parts.filter(({ state }) => state.kind === 'due');
	const isConfirmed =
		pendingParts.length === 0 || mode === 'yes' || (await askForConfirmation(pendingParts, io));
	const failures = isConfirmed ? await setUp(pendingParts, manifest, io) : 0;
	if (isConfirmed) await printLines(io, renderPasteLines(plan.pasteLines));
	if (mode === 'ask' && isConfirmed) await askToRecord(machine.stateFolder, io, io.connectDaemon);
	if (plan.agents.length === 0) await showSample(machine, io);
	else if (isConfirmed) await printLines(io, renderNextSteps(plan.agents));
	if (failures > 0)
		throw createWorkFailure(`${failures} of ${formatCount(pendingParts.length, 'part')} could not be set up`);
}

function printLines(io: FrontIo, lines: readonly Line[]): Promise<void> {
	return writeLines(io.stdout, lines, io.env);
}

/** Returns the labels of the agents that have sessions on this machine. */
async function findAgentsWithSessions(io: SetupIo): Promise<string[]> {
	const progress = createProgressLine(io);
	progress.show([span('Looking for sessions')]);
	const daemon = await io.startDaemon();
	try {
		const { transcripts } = await daemon.request(contextDiscover, {});
		return [...new Set(transcripts.map(({ label }) => label))];
	} finally {
		progress.clear();
		await daemon.close();
	}
}

/** What was found on this machine. */
interface FoundParts {
	agents: readonly SetupPart[];
	/** Editors, shells and tmux. */
	others: readonly SetupPart[];
	pasteLines: readonly PasteLines[];
}

async function findParts(machine: SetupMachine): Promise<FoundParts> {
	const pasteLines = await findPasteLines(machine);
	const [agents, editors, snippets] = await Promise.all([
		planAgentParts(machine),
		planEditorParts(machine),
		planSnippetParts(machine),
	]);
	return { agents, others: [...editors, ...snippets, ...createPasteParts(pasteLines)], pasteLines };
}

/** Asks whether to set up the parts; without a terminal, prints how to continue. */
async function askForConfirmation(pendingParts: readonly SetupPart[], io: SetupIo): Promise<boolean> {
	const titles = pendingParts.map(({ title }) => title).join(', ');
	if (!io.stdin.isTTY || !io.stdout.isTTY) {
		const text = `Nothing was written. "contextd setup --yes" sets up ${titles}; "contextd setup --dry-run" shows every line first.`;
		await printLines(io, [[], [span(text)]]);
		return false;
	}
	await printLines(io, [[]]);
	const question = `Set up ${titles}? "contextd setup --undo" reverts it. [Y/n] `;
	const answer = await askPerson(question, io);
	if (/^(?:y|yes)?$/i.test(answer.trim())) return true;
	await printLines(io, [[span('Nothing was written.', 'gray')]]);
	return false;
}

/** Sets up all due parts; returns how many failed. */
async function setUp(parts: readonly SetupPart[], manifest: SetupManifest, io: SetupIo): Promise<number> {
	let failures = 0;
	for (const part of parts) {
		try {
			const report = await part.apply(manifest);
			await printLines(io, [[], ...report.map((text): Line => [span(makePrintable(text))])]);
		} catch (error) {
			const text = describeFailure(error);
			failures++;
			await printLines(io, [[], [span(`✗ ${part.title}: ${makePrintable(text)}`, 'red')]]);
		}
	}
	return failures;
}

/** Returns lines about what to type next. */
function renderNextSteps(agents: readonly SetupPart[]): Line[] {
	const handled = agents.filter(({ state }) => state.kind !== 'none');
	const pluginTitles = handled.filter(({ addsCommands }) => addsCommands).map(({ title }) => title);
	const mcpTitles = handled.filter(({ addsCommands }) => !addsCommands).map(({ title }) => title);
	return [
		[],
		[span('Next', 'bold')],
		...(pluginTitles.length === 0
			? []
			: [
					[
						span(`  Restart ${pluginTitles.join(', ')}; then type `),
						span('/contextd', 'cyan'),
						span(' there'),
					],
				]),
		...(mcpTitles.length === 0
			? []
			: [[span(`  Restart ${mcpTitles.join(', ')}; then ask for something from earlier in a session`)]]),
		[span('  contextd', 'cyan'), span('               the meter of your newest session', 'gray')],
		[span('  contextd doctor', 'cyan'), span('        whether everything works', 'gray')],
		[span('  contextd setup --undo', 'cyan'), span('  reverts all of this', 'gray')],
	];
}

/** Prints the meter of a sample session, for a machine without agents, and how users get their own. */
async function showSample({ packageFolder }: Machine, io: SetupIo): Promise<void> {
	await printLines(io, [[], [span('No agent was found here. This is the meter of a sample session:')], []]);
	await io.showSampleMeter(join(packageFolder, '..', 'examples', 'session.jsonl'));
	await printLines(io, [
		[],
		[span('Next', 'bold')],
		[span('  Use Claude Code, OpenCode, pi, Codex or another agent in a folder, then type contextd there.')],
		[span('  Run contextd setup again once you have installed Claude Code, OpenCode or pi.')],
	]);
}
