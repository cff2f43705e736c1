import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { joinPlainText } from '../../../server/core/format/wire/content.ts';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';
import { needsCorpus } from '../../support/needs.ts';
import { allMessages, readTranscript } from '../../support/transcriptFold.ts';

const corpus = resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus');
const originals = join(corpus, 'originals');
const isThere = existsSync(originals);

type Twin = IdentifiedMessage & { meta?: { kind?: string } };

function essence({ role, content, toolCalls = [], toolCallId, usage }: IdentifiedMessage) {
	const calls = toolCalls.map(({ id, name, args }) => ({ id, name, args }));
	const context = usage && usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
	return { role, text: joinPlainText(content), calls, toolCallId, context };
}

function twinOf(session: string): Twin[] {
	const lines = readFileSync(join(corpus, 'sessions', `${session}.jsonl`), 'utf8')
		.split('\n')
		.filter(Boolean);
	const messages = lines.slice(1).map((line) => JSON.parse(line) as Twin);
	// The prompt comes from a separate file, and notices of a user interface never reach the model.
	return messages.filter(({ meta }) => meta?.kind !== 'prompt-file' && meta?.kind !== 'ui-info');
}

const files = isThere ? readdirSync(originals).filter((name) => /\.jsonl?$/.test(name)) : [];

const shapes = isThere ? readdirSync(join(originals, 'shapes')).filter((name) => /\.jsonl?$/.test(name)) : [];

/**
 * Returns the agent of a trimmed session by its name. Agents with the format of another agent count as that agent.
 */
function agentOf(file: string): string {
	const [, name = ''] = /^(?:agent-sessions\.)?([a-z-]+)\./.exec(file) ?? [];
	const agents: Record<string, string> = {
		claude: 'claude-code',
		'claude-code-log': 'claude-code',
		copilot: 'copilot-cli',
		gemini: 'gemini-cli',
		hermes: 'openai-messages',
		kimi: 'kimi-code',
		qwen: 'qwen-code',
	};
	return agents[name] ?? name;
}

describe.skipIf(!isThere)('real transcripts', needsCorpus, () => {
	it.each(files)('the real transcript %s is read like its neutral counterpart', (file) => {
		const read = readTranscript(readFileSync(join(originals, file), 'utf8'));
		expect(read).toBeDefined();
		if (read === undefined) return;
		// The expected file was created without the vendor's system prompt.
		const own = allMessages(read.transcript).filter(
			({ role }) => read.agent !== 'copilot-cli' || role !== 'system',
		);
		expect(own.map(essence)).toEqual(twinOf(file.split('.')[0] ?? '').map(essence));
		expect(read.badLineCount).toBe(0);
	});

	it.each(shapes)('the trimmed real session %s is read', (file) => {
		const read = readTranscript(readFileSync(join(originals, 'shapes', file), 'utf8'));
		expect(read?.agent).toBe(agentOf(file));
		expect(read && allMessages(read.transcript).length).toBeGreaterThan(0);
	});
});
