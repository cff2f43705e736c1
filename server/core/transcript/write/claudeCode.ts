import { type Fields, isFields, textOrEmpty } from '../../shape.ts';
import { formatRecordTime, type NewSession } from './session.ts';

/** The version of Claude Code whose format these records have. Later versions can read it. */
const formatVersion = '2.0.0';

/**
 * Returns the records of a Claude Code session file with these messages of the Messages API. A file that is named
 * after the session id in the project's folder can be resumed. Claude Code uses its own system prompt.
 */
export function createClaudeCodeRecords(messages: readonly unknown[], session: NewSession): Fields[] {
	let parentUuid: string | null = null;
	const turns = messages.filter(isFields).map((message, index) => {
		const uuid = session.createId();
		const header = {
			parentUuid,
			isSidechain: false,
			userType: 'external',
			cwd: session.cwd,
			sessionId: session.sessionId,
			version: formatVersion,
			gitBranch: '',
		};
		parentUuid = uuid;
		const timestamp = formatRecordTime(session, index);
		return message.role === 'assistant'
			? { ...header, type: 'assistant', message: createAnswer(message, session), uuid, timestamp }
			: { ...header, type: 'user', message: { role: 'user', content: message.content }, uuid, timestamp };
	});
	return turns.length === 0 ? [] : [...createTitleRecord(session), ...turns];
}

/** Returns the record of Claude Code's `/rename`, with facts about the original for contextd's own readers. */
function createTitleRecord({ title, original, sessionId }: NewSession): Fields[] {
	if (title === undefined) return [];
	const contextd = original && { copyOf: original.path, overheadTokens: original.overheadTokens };
	return [{ type: 'custom-title', customTitle: title, sessionId, ...(contextd && { contextd }) }];
}

function createAnswer({ content }: Fields, { createId, model }: NewSession): Fields {
	const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
	const hasCalls =
		Array.isArray(blocks) &&
		blocks.some((block) => isFields(block) && textOrEmpty(block.type) === 'tool_use');
	return {
		id: `msg_${createId().replaceAll('-', '')}`,
		type: 'message',
		role: 'assistant',
		model,
		content: blocks,
		stop_reason: hasCalls ? 'tool_use' : 'end_turn',
		stop_sequence: null,
		usage: { input_tokens: 0, output_tokens: 0 },
	};
}
