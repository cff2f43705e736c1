/** `contextd handoff`: hands a session over to another agent, which resumes it. */

import { spawn } from 'node:child_process';
import { formatCount, formatNumber } from '../../core/figures.ts';
import { findAgentLabel } from '../../core/transcript/index.ts';
import { checkOutput } from '../console/checkOutput.ts';
import { type CommandDaemons, useDaemon } from '../console/daemon.ts';
import { createInputFailure, createWorkFailure } from '../console/failure.ts';
import { type FrontIo, writeLines, writeText } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { escapeForTerminal, makePrintable, quotePrintableWord } from '../output/printable.ts';
import {
	chooseAgentPath,
	createResumeArguments,
	type Destination,
	type NewAgentSession,
	renderResumeHint,
	writeAgentSession,
} from './agentSession.ts';
import type { HandoffCommand } from './commands.ts';
import { type ExportedSession, exportSession } from './export.ts';
import { runWithFile } from './fileCommand.ts';
import { findNamedSession } from './findSession.ts';
import { writeTextFile } from './writeHistory.ts';

/** Returns where the session is written; undefined for a preview at a terminal. */
function chooseDestination({ shouldPlace, output }: HandoffCommand, io: FrontIo): Destination | undefined {
	if (shouldPlace) return 'place';
	if (output !== undefined && output !== '-') return { file: output };
	return output === '-' || !io.stdout.isTTY ? 'stdout' : undefined;
}

/** Exports the session that the command names, by default the newest of the folder. */
async function exportHandoff(
	command: HandoffCommand,
	io: FrontIo,
	daemons: CommandDaemons,
): Promise<ExportedSession> {
	const { session, output } = command;
	const namedSession = session === undefined ? undefined : await findNamedSession(session, daemons);
	if (namedSession === undefined || 'path' in namedSession) {
		const file = namedSession?.path;
		if (output !== undefined && output !== '-') await checkOutput(output, file, io);
		return runWithFile({ file, output }, { io, start: daemons.startDaemon }, async (task) => {
			task.progress.show([span('Compacting')]);
			return exportSession(task.daemon, task.session.sessionId, command, io.env);
		});
	}
	if (output !== undefined && output !== '-') await checkOutput(output, undefined, io);
	return useDaemon(daemons.connectDaemon, async (daemon) => {
		return await exportSession(daemon, namedSession.sessionId, command, io.env);
	});
}

/** Runs the agent in this terminal until it ends. */
async function startAgent(session: NewAgentSession, path: string, env: NodeJS.ProcessEnv): Promise<void> {
	const [program, ...args] = createResumeArguments(session, path);
	const child = spawn(program, args, { env, stdio: 'inherit' });
	const code = await new Promise<number | null>((resolve, reject) => {
		child.on('error', () => reject(createWorkFailure(`the command ${program} was not found on the PATH`)));
		child.on('close', resolve);
	});
	if (code !== 0) throw createWorkFailure(`${program} ended with ${code ?? 'a signal'}`);
}

/** Renders the command that carries out the handoff after a preview. */
function renderNextStep({ session, agent }: HandoffCommand): Line {
	const name = session === undefined ? '' : ` ${quotePrintableWord(session)}`;
	const command = `contextd handoff${name} --to ${agent} --start`;
	return [span('Nothing was written. To hand it over: ', 'gray'), span(command, 'cyan')];
}

/** Renders the report: the handed-over session, warnings, and how to continue. */
function renderReport(
	{ exported }: ExportedSession,
	agent: string,
	isPlaced: boolean,
	lastLine: Line,
): Line[] {
	const { messageCount, tokens, compaction, leftOut = [], warnings = [] } = exported;
	const size = `${formatCount(messageCount, 'message')}, ${formatNumber(tokens ?? compaction?.tokensAfter ?? 0)} tokens`;
	const before = compaction?.compacted ? ` (compacted from ${formatNumber(compaction.tokensBefore)})` : '';
	const leftOutText = leftOut.length === 0 ? '' : `; left out: ${leftOut.join(', ')}`;
	return [
		[span(`${isPlaced ? 'Handed over to' : 'To hand over to'} ${agent}: ${size}${before}${leftOutText}`)],
		...warnings.map((warning): Line => [span(makePrintable(warning), 'yellow')]),
		lastLine,
	];
}

/** Writes a session that another agent resumes, and starts that agent if the user wants it. */
export async function runHandoff(
	command: HandoffCommand,
	io: FrontIo,
	daemons: CommandDaemons,
): Promise<void> {
	const { format, shouldStartAgent } = command;
	if (shouldStartAgent && !io.stdin.isTTY) {
		throw createInputFailure(
			'handoff: --start needs a terminal; --place prints the command that starts the agent',
		);
	}
	const handoff = await exportHandoff(command, io, daemons);
	const { text, messageCount, agentSessionId } = handoff.exported;
	if (messageCount === 0 || agentSessionId === undefined)
		throw createWorkFailure('the session has no messages that can be handed over');
	const session = { format, id: agentSessionId, cwd: process.cwd(), createdAt: Date.now() };
	const path = await chooseAgentPath(session, io.env);
	const destination = chooseDestination(command, io);
	if (destination === 'place') {
		await writeAgentSession(session, path, text, {
			runningChangedAt: handoff.runningChangedAt,
			env: io.env,
		});
	} else if (destination === 'stdout') await writeText(io.stdout, escapeForTerminal(text));
	else if (destination !== undefined) await writeTextFile(text, destination.file);
	const lastLine =
		destination === undefined ? renderNextStep(command) : renderResumeHint(session, path, destination);
	const report = renderReport(handoff, findAgentLabel(format), destination === 'place', lastLine);
	await writeLines(destination === 'stdout' ? io.stderr : io.stdout, report, io.env);
	if (shouldStartAgent) await startAgent(session, path, io.env);
}
