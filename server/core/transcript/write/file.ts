/** Writes a history to a file: a provider's messages, or a session that an agent can continue. */

import type { ChatMessage, FormatName } from '../../../protocol/conversation.ts';
import type { ExportFormat } from '../../../protocol/transcript.ts';
import { Failure } from '../../failure.ts';
import { formatNames } from '../../format/names.ts';
import type { Fields } from '../../shape.ts';
import { claudeCodeRecords } from './claudeCode.ts';
import { piRecords } from './pi.ts';
import type { NewSession } from './session.ts';

/** All export formats. */
export const exportFormats: readonly ExportFormat[] = [...formatNames, 'claude-code', 'pi'];

/** Returns the format with this name. Fails with `UnsupportedFormat` that names the known formats. */
export function exportFormatOf(name: string): ExportFormat {
	const format = exportFormats.find((one) => one === name);
	if (format) return format;
	const known = exportFormats.map((one) => `"${one}"`).join(', ');
	throw new Failure('UnsupportedFormat', `format: expected one of ${known}, got "${name}"`, { format: name });
}

/** The field of the messages in each provider's request. */
const messagesField: Readonly<Partial<Record<ExportFormat, string>>> = {
	anthropic: 'messages',
	openai: 'messages',
	neurolink: 'messages',
	bedrock: 'messages',
	'ai-sdk': 'messages',
	'openai-responses': 'input',
	gemini: 'contents',
};

/** The field of the system text, if it is outside the messages. */
const systemField: Readonly<Partial<Record<ExportFormat, string>>> = {
	anthropic: 'system',
	bedrock: 'system',
	gemini: 'systemInstruction',
};

/** Formats of agents that can continue a session from a file. */
export type AgentSessionFormat = 'claude-code' | 'pi';

/** Whether the file is a session that an agent can continue. */
export function isAgentSession(format: string): format is AgentSessionFormat {
	return format === 'claude-code' || format === 'pi';
}

/** Returns the wire format of the messages in such a file. */
export function wireFormatOf(format: ExportFormat): FormatName {
	if (format === 'claude-code') return 'anthropic';
	return format === 'pi' ? 'contextd' : format;
}

function jsonLines(records: readonly unknown[]): string {
	return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/**
 * Returns the text of the file: JSON Lines for agents' sessions and the product's own format,
 * otherwise a JSON object with the fields of the provider's request. `messages` and `system` must be in the wire
 * format.
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
