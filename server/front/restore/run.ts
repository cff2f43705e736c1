/** `contextd restore`: lists what can be restored, and writes a session as it was before any compaction. */

import { formatByteSize, formatCount } from '../../core/figures.ts';
import { renderHtmlPage } from '../../core/restore/html.ts';
import { renderJsonDocument } from '../../core/restore/json.ts';
import { renderMarkdownPage } from '../../core/restore/markdown.ts';
import { isAgentSession, parseRecordingPath } from '../../core/transcript/index.ts';
import { recorderSessions } from '../../protocol/recorder.ts';
import { checkOutput } from '../console/checkOutput.ts';
import { type CommandDaemon, type CommandDaemons, type OpenDaemon, useDaemon } from '../console/daemon.ts';
import { createInputFailure } from '../console/failure.ts';
import { createProgressLine } from '../console/progressLine.ts';
import { type FrontIo, writeLines, writePlainLines, writeText } from '../console/terminal.ts';
import { type Line, span } from '../output/line.ts';
import { escapeForTerminal, makePrintable } from '../output/printable.ts';
import {
	chooseAgentPath,
	readCodexProvider,
	renderResumeHint,
	writeAgentSession,
} from '../transcript/agentSession.ts';
import { writeTextFile } from '../transcript/writeHistory.ts';
import type { RestoreCommand } from './command.ts';
import { findRestorable } from './findRestorable.ts';
import { listRecordings } from './listRecordings.ts';
import { createRestoredTranscript, type OpenWholeSession, type WholeSession } from './restoredTranscript.ts';

/** The daemons and readers that `restore` needs. */
export interface RestoreAccess extends CommandDaemons {
	openWholeSession: OpenWholeSession;
}

/** Restores a session, or lists the recordings if none is named. */
export async function runRestore(command: RestoreCommand, io: FrontIo, access: RestoreAccess): Promise<void> {
	return useDaemon(access.connectDaemon, async (daemon) => {
		if (command.session === undefined) await listRecordings(command, io, daemon);
		else await restore(command, command.session, io, { ...access, daemon });
	});
}

async function restore(
	command: RestoreCommand,
	name: string,
	io: FrontIo,
	access: RestoreAccess & { daemon: CommandDaemon },
): Promise<void> {
	const { daemon, openWholeSession, startDaemon } = access;
	const path = await findRestorable(name, daemon, access);
	const { output } = command;
	if (output !== undefined && output !== '-') await checkOutput(output, path, io);
	const progress = createProgressLine(io);
	let session: WholeSession | undefined;
	try {
		session = await openWholeSession(path, daemon, (bytes) =>
			progress.show([span(`Reading · ${formatByteSize(bytes)}`)]),
		);
		progress.clear();
		if (command.form === 'transcript') await writeTranscript(command, session, io, startDaemon);
		else await writePage(command, session, io);
		await listParts(path, daemon, io);
	} finally {
		progress.clear();
		session?.close();
	}
}

/** Maximum number of sub-agents and outputs to list one by one. */
const maxListedParts = 20;

/** Prints to standard error how to restore what a page lacks: sub-agents and whole outputs of a recorded session. */
async function listParts(path: string, daemon: CommandDaemon, io: FrontIo): Promise<void> {
	const parent = parseRecordingPath(path);
	if (parent === undefined) return;
	const { sessions } = await daemon.request(recorderSessions, { parent });
	// An older daemon ignores `parent`, and returns other sessions, too.
	const parts = sessions.filter((one) => one.parent !== undefined);
	const lines = parts
		.slice(0, maxListedParts)
		.map(
			({ recordingId, title = '' }): Line => [
				span(`Part of it: ${makePrintable(title)} · `, 'gray'),
				span(`contextd restore ${recordingId}`, 'cyan'),
			],
		);
	const omitted = parts.length - lines.length;
	if (omitted > 0) lines.push([span(`and ${formatCount(omitted, 'more part')}`, 'gray')]);
	if (lines.length > 0) await writeLines(io.stderr, lines, io.env);
}

/** Describes a page's content, such as `12 messages (2 removed by a rewind), 1 compaction`. */
function describeContents({ history }: WholeSession): string {
	const { messages, compactions, abandoned } = history.countEntries();
	const rewindText = abandoned === 0 ? '' : ` (${abandoned} removed by a rewind)`;
	return `${formatCount(messages, 'message')}${rewindText}, ${formatCount(compactions, 'compaction')}`;
}

const writePageByForm = { markdown: renderMarkdownPage, html: renderHtmlPage, json: renderJsonDocument };

async function writePage(
	{ form, output }: RestoreCommand,
	session: WholeSession,
	io: FrontIo,
): Promise<void> {
	if (form === 'transcript') return;
	const page = writePageByForm[form](session);
	if (output === undefined || output === '-') {
		for (const text of page) await writeText(io.stdout, form === 'json' ? escapeForTerminal(text) : text);
		return;
	}
	await writeTextFile(page, output);
	const line = `Wrote ${makePrintable(output)} as ${form}: ${describeContents(session)}`;
	await writePlainLines(io, line);
}

async function writeTranscript(
	command: RestoreCommand,
	session: WholeSession,
	io: FrontIo,
	startDaemon: OpenDaemon,
): Promise<void> {
	const { agent, label } = session;
	if (!isAgentSession(agent)) {
		throw createInputFailure(
			`restore: contextd cannot write a transcript that ${label} can resume; --as html or markdown writes a page`,
		);
	}
	return useDaemon(startDaemon, async (daemon) => {
		const cwd = process.cwd();
		const agentProvider = agent === 'codex' ? await readCodexProvider(io.env) : undefined;
		const transcript = await createRestoredTranscript(session, daemon, { format: agent, cwd, agentProvider });
		const newSession = { format: agent, id: transcript.agentSessionId, cwd, createdAt: Date.now() };
		const path = await chooseAgentPath(newSession, io.env);
		const { output, shouldPlace } = command;
		const file = shouldPlace ? path : output === '-' ? undefined : output;
		if (shouldPlace) await writeAgentSession(newSession, path, transcript.text, { env: io.env });
		else if (file !== undefined) await writeTextFile(transcript.text, file);
		else await writeText(io.stdout, escapeForTerminal(transcript.text));
		const to = file === undefined ? '' : ` ${makePrintable(file)}`;
		const report: Line[] = [
			[
				span(
					`Wrote${to} for ${label}: ${formatCount(transcript.messageCount, 'message')}, about ${transcript.sizeText}`,
				),
			],
			...transcript.warnings.map((warning): Line => [span(makePrintable(warning), 'yellow')]),
			renderResumeHint(newSession, path, shouldPlace ? 'place' : file === undefined ? 'stdout' : { file }),
		];
		await writeLines(file === undefined ? io.stderr : io.stdout, report, io.env);
	});
}
