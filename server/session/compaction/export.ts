/** `context/export`: writes a history, usually compacted, as the text of a file. */

import { removeUsage } from '../../core/cost/spent.ts';
import { toSlashedPath } from '../../core/files/folder.ts';
import { getFormatAdapter } from '../../core/format/formats.ts';
import type { RenderResult } from '../../core/format/wire/adapter.ts';
import type { Unit } from '../../core/history/row.ts';
import { getNextLayerNumber } from '../../core/history/undo.ts';
import { mapInSlices } from '../../core/slices.ts';
import {
	agents,
	findAgentLabel,
	findAgentSessionId,
	findWireFormat,
	formatHistoryFile,
	isAgentOnlyNote,
	isAgentSession,
	makePortable,
	type NewSession,
} from '../../core/transcript/index.ts';
import type { ChatMessage } from '../../protocol/conversation.ts';
import type { OwnParams } from '../../protocol/declaration.ts';
import type { ExportFormat, ExportParams, ExportResult } from '../../protocol/transcript.ts';
import { readRowMessages } from '../bodies.ts';
import type { ClientContext } from '../clientContext.ts';
import { commit } from '../commit.ts';
import { readContextUsage } from '../contextUsage.ts';
import { renderHistory } from '../history.ts';
import { runInSlices } from '../services.ts';
import { type Session, selectMeasure } from '../session.ts';
import { createScratchCopy, previewCompaction } from './preview.ts';
import type { TaskContext } from './request.ts';

/** Returns the name of the agent that wrote a session; undefined if unknown. */
function findAgentName({ state }: Session): string | undefined {
	const { source, sessionId } = state.info;
	return source ?? agents.find(({ plugin }) => plugin && sessionId.startsWith(`${plugin.prefix}:`))?.name;
}

/** Explains `#N` and another agent's tools to a model that reads the exported file without this daemon. */
function describeRecall(session: Session, format: ExportFormat): string {
	const { transcript } = session.state.info;
	const agent = findAgentName(session);
	const location = transcript === undefined ? '' : `; the full transcript is ${transcript}`;
	const isForeign = agent !== undefined && isAgentSession(format) && agent !== format;
	const authorText = isForeign
		? ` ${findAgentLabel(agent)} wrote it, whose tools may have other names than yours.`
		: '';
	return `#N is message N of this conversation before the export${location}.${authorText}`;
}

/** The formats that can store signed reasoning. Only the agent that wrote such reasoning can send it again. */
const formatsWithReasoning: readonly ExportFormat[] = ['claude-code', 'pi'];

/** A rendered history that is written to a file. `leftOut` and `tokens` are set if the file is for another agent. */
type FileHistory = RenderResult & Pick<ExportResult, 'leftOut' | 'tokens'>;

/** Returns the tokens of messages, as the session's model counts them. */
async function countMessageTokens(session: Session, messages: readonly ChatMessage[]): Promise<number> {
	const measure = selectMeasure(session);
	const counts = await runInSlices(
		mapInSlices(messages, (message) => measure.countMessage(message)),
		session.services,
	);
	return counts.reduce((sum, { text, calls, images }) => sum + text + calls + images, 0);
}

/** Whether a format is a session file of another agent than the one that wrote this session. */
function isForAnotherAgent(session: Session, format: ExportFormat): boolean {
	const isOwn = formatsWithReasoning.includes(format) && findAgentName(session) === format;
	return isAgentSession(format) && !isOwn;
}

/** Returns the visible messages that only the writing agent needs: its instructions, reminders, and environment. */
async function findInstructions(session: Session): Promise<Unit[]> {
	const { view } = session.state;
	const injectedUnits = view.filter(({ row }) => row.role === 'user' && row.injected);
	const rows = injectedUnits.map(({ row }) => row);
	const resolvedMessages = await readRowMessages(session, rows);
	const notes = new Set(
		injectedUnits.filter((_, at) => isAgentOnlyNote(resolvedMessages[at]?.message.content ?? '')),
	);
	return view.filter((unit) => unit.row.role === 'system' || notes.has(unit));
}

/**
 * Returns a copy of a session without its agent's instructions, which a summary for another agent must not repeat.
 * Returns undefined if the session has no instructions.
 */
async function copyWithoutInstructions(session: Session): Promise<Session | undefined> {
	const patches = (await findInstructions(session)).map(({ from, to }) => ({ from, to }));
	if (patches.length === 0) return undefined;
	const copy = createScratchCopy(session);
	const no = getNextLayerNumber(copy.state);
	const sheet = { no, lossy: false, patches };
	const at = session.services.now();
	const step = { id: `export-${no}`, cause: 'rewind' as const, at, sheet, on: [no], off: [] };
	await commit(copy, { t: 'step', step });
	return copy;
}

/**
 * Renders a history for a file. If the file is for another agent, leaves out what only the agent that wrote the session
 * can read.
 */
async function renderForFile(session: Session, format: ExportFormat): Promise<FileHistory> {
	const wire = findWireFormat(format);
	if (!isForAnotherAgent(session, format)) return renderHistory(session, wire);
	const { messages: allMessages, warnings } = await renderHistory(session, 'contextd');
	const { messages, leftOut } = makePortable(allMessages as ChatMessage[]);
	const tokens = await countMessageTokens(session, messages);
	if (wire === 'contextd') return { messages, leftOut, tokens, warnings };
	const entries = messages.map((message, index) => ({
		message: { ...message, id: `m${index + 1}` },
		isChanged: true,
	}));
	const renderResult = await runInSlices(getFormatAdapter(wire).render(entries), session.services);
	return { ...renderResult, leftOut, tokens, warnings: [...warnings, ...renderResult.warnings] };
}

/** Matches the mark in the title of an exported session, so that an export of an export is marked only once. */
const titleMarkPattern = /^\[(?:compacted|copy)\] /;

/** Returns the title of an exported session, with a mark that distinguishes it from its original in lists. */
function createCopyTitle({ state }: Session, isCompacted: boolean): string {
	const { title, sessionId } = state.info;
	return `[${isCompacted ? 'compacted' : 'copy'}] ${(title || sessionId).replace(titleMarkPattern, '')}`;
}

/** Describes the transcript that a session was exported from; undefined if the session has no transcript. */
async function describeOriginal(session: Session, client: ClientContext): Promise<NewSession['original']> {
	const { transcript } = session.state.info;
	if (transcript === undefined) return undefined;
	const { breakdown } = (await readContextUsage(session, client)).meterReading;
	const { systemPrompt, toolDefinitions, other } = breakdown;
	return { path: transcript, overheadTokens: Math.round(systemPrompt + toolDefinitions + other) };
}

/** Exports a history, compacted if this is requested and saves tokens. The session itself stays unchanged. */
export async function exportHistory(
	session: Session,
	{ format, compact = true, targetTokens, free, cwd, agentProvider }: OwnParams<ExportParams>,
	context: TaskContext,
): Promise<ExportResult> {
	const { services } = session;
	const recallHint = describeRecall(session, format);
	const reducedCopy = isForAnotherAgent(session, format) ? await copyWithoutInstructions(session) : undefined;
	const options = { targetTokens, free, recallHint };
	const { result, after } = compact
		? await previewCompaction(reducedCopy ?? session, options, context)
		: { result: null, after: reducedCopy ?? session };
	const history = await renderForFile(after, format);
	// The provider's usage describes the history before the compaction.
	if (result?.compacted && format === 'contextd') history.messages = history.messages.map(removeUsage);
	const leftOut = [...(reducedCopy ? ['instructions of the first agent'] : []), ...(history.leftOut ?? [])];
	const { provider, model } = after.state.info;
	const original = await describeOriginal(session, context.client);
	const newSession: NewSession = {
		sessionId: services.createId(),
		cwd: cwd ?? toSlashedPath(session.state.info.workspace) ?? '/',
		provider,
		model,
		...(agentProvider !== undefined && { agentProvider }),
		title: createCopyTitle(session, result?.compacted === true),
		...(original && { original }),
		startedAt: services.now(),
		createId: services.createId,
	};
	const text = formatHistoryFile(format, history, newSession);
	return {
		text,
		messageCount: history.messages.length,
		...(isAgentSession(format) && { agentSessionId: findAgentSessionId(format, newSession) }),
		compaction: result,
		...(history.tokens !== undefined && { tokens: history.tokens }),
		...(leftOut.length > 0 && { leftOut }),
		...(history.warnings.length > 0 && { warnings: history.warnings }),
	};
}
