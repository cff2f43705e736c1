import { isFields } from '../../format/wire/shape.ts';
import type { Agent } from '../reading/agent.ts';
import { fieldsOf } from '../reading/values.ts';
import { claudeLineReader } from './lines.ts';

/** The session files of Claude Code: JSON Lines whose records name each other by `uuid` and `parentUuid`. */
export const claudeCode: Agent = {
	name: 'claude-code',
	label: 'Claude Code',
	detect: ({ records }) =>
		records.some((record) => {
			if (!isFields(record)) return false;
			if (record.type === 'file-history-snapshot') return isFields(record.snapshot);
			if (record.type === 'summary') return typeof record.leafUuid === 'string';
			const { message } = record;
			const isTurn = record.type === 'user' || record.type === 'assistant';
			if (!isTurn || !isFields(message) || message.parts !== undefined) return false;
			return typeof record.sessionId === 'string' || typeof record.parentUuid === 'string';
		}),
	start: claudeLineReader,
};

/** The `stream-json` output of the Claude Agent SDK and of `claude -p`. */
export const claudeAgentSdk: Agent = {
	name: 'claude-agent-sdk',
	label: 'Claude Agent SDK',
	detect: ({ records }) =>
		records.some((record) => {
			const { type, subtype, session_id, message } = fieldsOf(record);
			if (typeof session_id !== 'string') return false;
			if (type === 'system' && subtype === 'init') return true;
			return (type === 'user' || type === 'assistant') && isFields(message);
		}),
	start: claudeLineReader,
};
