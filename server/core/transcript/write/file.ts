/** A history as the text of a file: a provider's messages, or a session that an agent starts from. */

import type { ChatMessage, FormatName } from '../../../protocol/conversation.ts';
import type { ExportFormat } from '../../../protocol/transcript.ts';
import { Failure } from '../../failure.ts';
import { formatNames } from '../../format/names.ts';
import type { Fields } from '../../shape.ts';
import { claudeCodeRecords } from './claudeCode.ts';
import { piRecords } from './pi.ts';
import type { NewSession } from './session.ts';

/** Every one of them. */
export const exportFormats: readonly ExportFormat[] = [...formatNames, 'claude-code', 'pi'];

/** The format of that name. Fails with `UnsupportedFormat`, naming those that there are. */
export function exportFormatOf(name: string): ExportFormat {
	const format = exportFormats.find((one) => one === name);
	if (format) return format;
	const known = exportFormats.map((one) => `"${one}"`).join(', ');
	throw new Failure('UnsupportedFormat', `format: expected one of ${known}, got "${name}"`, { format: name });
}

/** What the messages are called in each provider's request. */
const messagesField: Readonly<Partial<Record<ExportFormat, string>>> = {
	anthropic: 'messages',
	openai: 'messages',
	neurolink: 'messages',
	bedrock: 'messages',
	'ai-sdk': 'messages',
	'openai-responses': 'input',
	gemini: 'contents',
};

/** What the system text is called where it stands outside the messages. */
const systemField: Readonly<Partial<Record<ExportFormat, string>>> = {
	anthropic: 'system',
	bedrock: 'system',
	gemini: 'systemInstruction',
};

/** The formats of agents that go on with a session from a file. */
export type AgentSessionFormat = 'claude-code' | 'pi';

/** Whether the file is a session of an agent, which starts from it. */
export function isAgentSession(format: ExportFormat): format is AgentSessionFormat {
	return format === 'claude-code' || format === 'pi';
}

/** The format that the messages must have which go into such a file. */
export function wireFormatOf(format: ExportFormat): FormatName {
	if (format === 'claude-code') return 'anthropic';
	return format === 'pi' ? 'contextd' : format;
}

function jsonLines(records: readonly unknown[]): string {
	return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/**
 * The text of the file: JSON Lines for agents' sessions and the product's own format, else one JSON object with the
 * fields of the provider's request. `messages` and `system` are in the format's wire format.
 */
export function historyFile(
	format: ExportFormat,
	{ messages, system }: { messages: readonly unknown[]; system?: unknown },
	session: NewSession,
): string {
	if (format === 'contextd') return jsonLines(messages);
	if (isAgentSession(format)) {
		const records: Fields[] =
			format === 'pi'
				? piRecords(messages as readonly ChatMessage[], session)
				: claudeCodeRecords(messages, session);
		return jsonLines(records);
	}
	const outside = systemField[format];
	const body = {
		...(outside && system !== undefined && { [outside]: system }),
		[messagesField[format] ?? 'messages']: messages,
	};
	return `${JSON.stringify(body, null, 2)}\n`;
}
