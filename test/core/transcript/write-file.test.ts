import { describe, expect, it } from 'vitest';
import {
	exportFormats,
	formatHistoryFile,
	parseExportFormat,
} from '../../../server/core/transcript/write/file.ts';

let ids = 0;
const session = {
	sessionId: '00000000-0000-4000-8000-000000000000',
	cwd: '/home/me/project',
	provider: 'anthropic',
	model: 'claude-sonnet-4-5',
	startedAt: 0,
	createId: () => `00000000-0000-4000-8000-${String(++ids).padStart(12, '0')}`,
};
const history = { messages: [{ role: 'user', content: 'Hello' }], system: 'Be kind' };

function parsed(format: Parameters<typeof formatHistoryFile>[0]): unknown {
	return JSON.parse(formatHistoryFile(format, history, session));
}

describe('writing a history to a file', () => {
	it("a history is written as a provider's request with the system text in its field", () => {
		const { messages, system } = history;
		expect(parsed('anthropic')).toEqual({ system, messages });
		expect(parsed('gemini')).toEqual({ systemInstruction: system, contents: messages });
		expect(parsed('openai')).toEqual({ messages });
		expect(parsed('openai-responses')).toEqual({ input: messages });
	});

	it("a history is written as JSON Lines in the product's own format", () => {
		expect(formatHistoryFile('contextd', history, session)).toBe('{"role":"user","content":"Hello"}\n');
	});

	it('a history is written as a session of an agent', () => {
		const records = formatHistoryFile('pi', history, session).trim().split('\n');
		expect(JSON.parse(records[0] ?? '')).toMatchObject({ type: 'session', cwd: '/home/me/project' });
		expect(parsed('claude-code')).toMatchObject({ type: 'user', sessionId: session.sessionId });
	});

	it('a history is not written in any other format', () => {
		expect(exportFormats.map(parseExportFormat)).toEqual(exportFormats);
		expect(() => parseExportFormat('word')).toThrow('format: expected one of "contextd", "anthropic"');
	});
});
