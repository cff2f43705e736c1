import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plainText } from '../../../server/core/format/content.ts';
import type { IdentifiedMessage } from '../../../server/core/history/message.ts';
import { readTranscript } from '../../../server/core/transcript/adapters.ts';
import { allMessages } from '../../../server/core/transcript/transcript.ts';

const corpus = resolve(process.env.CONTEXTD_CORPUS ?? '../shared/corpus');
const originals = join(corpus, 'originals');
const isThere = existsSync(originals);

type Twin = IdentifiedMessage & { meta?: { kind?: string } };

function essence({ role, content, toolCalls = [], toolCallId, usage }: IdentifiedMessage) {
	const calls = toolCalls.map(({ id, name, args }) => ({ id, name, args }));
	const context = usage && usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
	return { role, text: plainText(content), calls, toolCallId, context };
}

function twinOf(session: string): Twin[] {
	const lines = readFileSync(join(corpus, 'sessions', `${session}.jsonl`), 'utf8')
		.split('\n')
		.filter(Boolean);
	const messages = lines.slice(1).map((line) => JSON.parse(line) as Twin);
	// The prompt comes from a file of its own, and the notices of a user interface never reach the model.
	return messages.filter(({ meta }) => meta?.kind !== 'prompt-file' && meta?.kind !== 'ui-info');
}

const files = isThere ? readdirSync(originals).filter((name) => /\.jsonl?$/.test(name)) : [];

describe.skipIf(!isThere)('real transcripts (skipped: no corpus folder)', () => {
	test.each(files)('%s gives what its neutral twin says', (file) => {
		const read = readTranscript(readFileSync(join(originals, file), 'utf8'));
		expect(read).toBeDefined();
		if (read === undefined) return;
		// The twin was made without the vendor's system prompt.
		const own = allMessages(read.transcript).filter(
			({ role }) => read.agent !== 'copilot-cli' || role !== 'system',
		);
		expect(own.map(essence)).toEqual(twinOf(file.split('.')[0] ?? '').map(essence));
		expect(read.badLines).toBe(0);
	});

	test('the shapes of other agents are read without an error', () => {
		const shapes = join(originals, 'shapes');
		const names = readdirSync(shapes, { recursive: true, encoding: 'utf8' }).filter((name) =>
			/\.jsonl?$/.test(name),
		);
		const known = names.filter(
			(name) => readTranscript(readFileSync(join(shapes, name), 'utf8')) !== undefined,
		);
		expect(known.length).toBeGreaterThan(names.length / 2);
	});
});
