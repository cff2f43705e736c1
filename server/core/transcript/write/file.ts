/** Writes a history to a file: a provider's messages, or a session that an agent can continue. */

import type { ChatMessage, FormatName } from '../../../protocol/conversation.ts';
import type { ExportFormat } from '../../../protocol/transcript.ts';
import { Failure } from '../../failure.ts';
import { formatNames } from '../../format/names.ts';
import type { Fields } from '../../shape.ts';
import { createClaudeCodeRecords } from './claudeCode.ts';
import { createCodexRecords } from './codex.ts';
import { createCopilotCliRecords } from './copilotCli.ts';
import { createGeminiCliRecords } from './geminiCli.ts';
import { createOpenCodeExport, createOpenCodeSessionId } from './openCode.ts';
import { createPiRecords } from './pi.ts';
import type { NewSession } from './session.ts';

/** Formats of agents that can continue a session from a file, by the agents' names. */
export const agentSessionFormats = [
	'claude-code',
	'codex',
	'opencode',
	'pi',
	'gemini-cli',
	'copilot-cli',
] as const satisfies readonly ExportFormat[];

export type AgentSessionFormat = (typeof agentSessionFormats)[number];

export const exportFormats: readonly ExportFormat[] = [...formatNames, ...agentSessionFormats];

/** Returns the format with this name. Fails with `UnsupportedFormat` that names the known formats. */
export function parseExportFormat(name: string): ExportFormat {
	const format = exportFormats.find((one) => one === name);
	if (format) return format;
	const names = exportFormats.map((one) => `"${one}"`).join(', ');
	throw new Failure('UnsupportedFormat', `format: expected one of ${names}, got "${name}"`, { format: name });
}

/** The field of the messages in a provider's request, if it is not `messages`. */
const messagesField: Readonly<Partial<Record<ExportFormat, string>>> = {
	'openai-responses': 'input',
	gemini: 'contents',
};

/** The field of the system text, if it is outside the messages. */
const systemField: Readonly<Partial<Record<ExportFormat, string>>> = {
	anthropic: 'system',
	bedrock: 'system',
	gemini: 'systemInstruction',
};

/** Whether the file is a session that an agent can continue. */
export function isAgentSession(format: string): format is AgentSessionFormat {
	return agentSessionFormats.some((name) => name === format);
}

/** Returns the wire format of the messages in a file of an export format. */
export function findWireFormat(format: ExportFormat): FormatName {
	if (!isAgentSession(format)) return format;
	return format === 'claude-code' ? 'anthropic' : 'contextd';
}

/** Returns the id under which the agent knows the session. */
export function findAgentSessionId(format: AgentSessionFormat, { sessionId }: NewSession): string {
	return format === 'opencode' ? createOpenCodeSessionId(sessionId) : sessionId;
}

function formatJsonLines(records: readonly unknown[]): string {
	return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Returns the text of an agent's session; `messages` must be in the wire format. */
function formatAgentSession(
	format: AgentSessionFormat,
	messages: readonly unknown[],
	session: NewSession,
): string {
	if (format === 'claude-code') return formatJsonLines(createClaudeCodeRecords(messages, session));
	const neutralMessages = messages as readonly ChatMessage[];
	if (format === 'opencode')
		return `${JSON.stringify(createOpenCodeExport(neutralMessages, session), null, 2)}\n`;
	return formatJsonLines(lineWriters[format](neutralMessages, session));
}

/** Writers of sessions with one record per line, from neutral messages. */
const lineWriters: Readonly<
	Record<
		Exclude<AgentSessionFormat, 'claude-code' | 'opencode'>,
		(messages: readonly ChatMessage[], session: NewSession) => Fields[]
	>
> = {
	codex: createCodexRecords,
	pi: createPiRecords,
	'gemini-cli': createGeminiCliRecords,
	'copilot-cli': createCopilotCliRecords,
};

/**
 * Returns the text of the file: JSON Lines for agents' sessions and contextd's own format, otherwise a JSON object
 * with the fields of the provider's request. `messages` and `system` must be in the wire format.
 */
export function formatHistoryFile(
	format: ExportFormat,
	{ messages, system }: { messages: readonly unknown[]; system?: unknown },
	session: NewSession,
): string {
	if (format === 'contextd') return formatJsonLines(messages);
	if (isAgentSession(format)) return formatAgentSession(format, messages, session);
	const systemMember = systemField[format];
	const body = {
		...(systemMember && system !== undefined && { [systemMember]: system }),
		[messagesField[format] ?? 'messages']: messages,
	};
	return `${JSON.stringify(body, null, 2)}\n`;
}
