import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getFormatAdapter } from '../../../server/core/format/formats.ts';
import { formatNames } from '../../../server/core/format/names.ts';
import type { RenderEntry } from '../../../server/core/format/wire/adapter.ts';
import { isFields } from '../../../server/core/shape.ts';
import type { ChatMessage, FormatName } from '../../../server/protocol/conversation.ts';
import { needsCorpus } from '../../support/needs.ts';
import { rendered } from '../../support/rendered.ts';
import { validate } from '../../support/validate.ts';
import { appendedEntries } from './history.ts';

const corpus = process.env.CONTEXTD_CORPUS ?? join(process.cwd(), '../shared/corpus');

function lines(path: string): Record<string, unknown>[] {
	const texts = readFileSync(path, 'utf8').split('\n').filter(Boolean);
	return texts.flatMap((text) => {
		try {
			return [JSON.parse(text)];
		} catch {
			return [];
		}
	});
}

function originals(ending: string): string[] {
	const folder = join(corpus, 'originals');
	return readdirSync(folder)
		.filter((name) => name.endsWith(ending))
		.map((name) => join(folder, name));
}

/** Returns the messages without the calls that are not answered directly, and without the results of these calls. */
function answered(messages: ChatMessage[]): ChatMessage[] {
	const broken = new Set<string>();
	for (const { index, rule } of validate(messages, 'contextd').problems) {
		const message = messages[index]!;
		if (rule !== 'pairs') continue;
		if (message.toolCallId) broken.add(message.toolCallId);
		for (const call of message.toolCalls ?? []) broken.add(call.id);
	}
	return messages
		.filter((message) => !broken.has(message.toolCallId ?? ''))
		.map((message) => ({
			...message,
			toolCalls: message.toolCalls?.filter((call) => !broken.has(call.id)),
		}));
}

describe.skipIf(!existsSync(corpus))('the corpus', needsCorpus, () => {
	it('recorded messages of Claude Code are read, and their blocks written unchanged', () => {
		const raws = originals('.claude-code.jsonl')
			.flatMap(lines)
			.map((line) => line.message)
			.filter((raw) => isFields(raw) && (raw.role === 'user' || raw.role === 'assistant'));
		expect(raws.length).toBeGreaterThan(300);
		for (const raw of raws) {
			const entries = appendedEntries('anthropic', [
				{ role: 'user', content: 'Go.' },
				{ role: 'assistant', content: '.' },
				raw,
			]);
			const { messages, warnings } = rendered(getFormatAdapter('anthropic'), entries);
			expect(warnings).toEqual([]);
			if (isFields(raw) && raw.role === 'user' && raw.content !== '') expect(messages.at(-1)).toEqual(raw);
		}
	});

	it('recorded items of Codex are written unchanged, except reasoning without a following item', () => {
		const items = originals('.codex-rollout.jsonl')
			.flatMap(lines)
			.filter((line) => line.type === 'response_item')
			.map((line) => line.payload as Record<string, unknown>);
		expect(items.length).toBeGreaterThan(100);
		const { messages } = rendered(
			getFormatAdapter('openai-responses'),
			appendedEntries('openai-responses', items),
		);
		const withoutReasoning = (item: unknown) => !isFields(item) || item.type !== 'reasoning';
		expect(messages.filter(withoutReasoning)).toEqual(items.filter(withoutReasoning));
	});

	it('every recorded session is written validly in every format', () => {
		const folder = join(corpus, 'sessions');
		let written = 0;
		for (const name of readdirSync(folder).filter((file) => file.endsWith('.jsonl'))) {
			const raws = lines(join(folder, name))
				.slice(1)
				.map(({ role, content, toolCalls, toolCallId, isError }, index) => ({
					id: `${index}`,
					role,
					content,
					toolCalls,
					toolCallId,
					isError,
				}));
			const neutral = answered(answered(raws as ChatMessage[]));
			if (!validate(neutral, 'contextd').valid) continue;
			written += 1;
			const entries: RenderEntry[] = appendedEntries('contextd', neutral);
			for (const format of formatNames as FormatName[]) {
				const { messages } = rendered(getFormatAdapter(format), entries);
				expect([name, format, validate(messages, format).problems]).toEqual([name, format, []]);
			}
		}
		expect(written).toBeGreaterThan(10);
	});
});
