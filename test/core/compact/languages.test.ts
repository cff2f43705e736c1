import { describe, expect, it } from 'vitest';
import { RankMeasures } from '../../../server/node/measures.ts';
import type { ChatMessage, EstimatorName, ToolCall } from '../../../server/protocol/conversation.ts';
import coding from '../../fixtures/languages/import.json' with { type: 'json' };
import german from '../../fixtures/languages/journey.de.json' with { type: 'json' };
import english from '../../fixtures/languages/journey.en.json' with { type: 'json' };
import japanese from '../../fixtures/languages/journey.ja.json' with { type: 'json' };
import chinese from '../../fixtures/languages/journey.zh.json' with { type: 'json' };
import { silentLogger } from '../../support/logger.ts';
import { logLines } from '../../support/messages.ts';
import { ranksFolder } from '../../support/ranks.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const languages = ['en', 'de', 'zh', 'ja'] as const;
type Language = (typeof languages)[number];

interface FactSession {
	messages: ChatMessage[];
	/** Facts that must remain after a compaction: name and text. */
	facts: [name: string, words: string][];
}

const journeys = { en: english, de: german, zh: chinese, ja: japanese };

function journeyIn(language: Language): FactSession {
	const { messages, facts } = journeys[language];
	return {
		messages: messages.map(([role, content], index) => ({
			id: `m${index}`,
			role: role as 'user' | 'assistant',
			content: content ?? '',
		})),
		facts: Object.entries(facts),
	};
}

interface CodingMessage {
	role: string;
	text?: Record<Language, string>;
	call?: ToolCall;
	answers?: string;
	content?: string;
	isError?: boolean;
}

/** Puts sixty lines of a log before the output of a command; returns any other content unchanged. */
function withLog(content: string, index: number): string {
	return /^(?:>|Tests:)/.test(content) ? `${logLines(60, index)}\n${content}` : content;
}

function codingIn(language: Language): FactSession {
	const messages: CodingMessage[] = coding.messages;
	return {
		messages: messages.map(({ role, text, call, answers, content, isError }, index) => ({
			id: `m${index}`,
			role: role as ChatMessage['role'],
			content: content === undefined ? (text?.[language] ?? '') : withLog(content, index),
			...(call && { toolCalls: [call] }),
			...(answers !== undefined && { toolCallId: answers }),
			...(isError && { isError }),
		})),
		facts: Object.entries(coding.facts).map(([name, words]) => [name, words[language]]),
	};
}

function textOf(history: readonly ChatMessage[]): string {
	return history
		.map(({ content, toolCalls }) => `${JSON.stringify(content)}${JSON.stringify(toolCalls ?? [])}`)
		.join('\n');
}

const measures = new RankMeasures(await ranksFolder(), silentLogger);

/** A real vocabulary, which is the default, and an estimate that is close to it for scripts without spaces. */
const estimators = ['exact', 'calibrated'] as const;

/** Compacts to a share of the messages' tokens. Returns the share of facts that remain, and what share of the target is used. */
async function compacted({ messages, facts }: FactSession, share: number, estimator: EstimatorName) {
	const world = testWorld({ measures });
	world.configure({ estimator });
	const session = await sessionWith(world, messages);
	const { tokensBefore } = await compactNow(session, { targetTokens: 1_000_000 });
	const target = Math.floor(tokensBefore * share);
	const { tokensAfter } = await compactNow(session, { targetTokens: target });
	const text = textOf(await historyOf(session));
	return {
		kept: facts.filter(([, words]) => text.includes(words)).length / facts.length,
		lost: facts.filter(([, words]) => !text.includes(words)).map(([name]) => name),
		filled: tokensAfter / target,
		target,
	};
}

/**
 * Sessions with twenty facts, and the shares of their tokens that they are compacted to. The result is the share of facts
 * whose text remains in the history, counted by Claude's vocabulary and by its estimate. The best and the worst language
 * may differ by one tenth. With a share of a tenth, all four histories are larger than the target, because their first
 * and last messages do not fit.
 */
const sessions = [
	['a talk of a journey', journeyIn, [0.5, 0.25, 0.1]],
	['a session of work on code', codingIn, [0.5, 0.25, 0.1]],
] as const;

describe.each(sessions)('%s', (_, inLanguage, shares) => {
	it('the messages of each language contain the same facts', () => {
		for (const language of languages) {
			const { messages, facts } = inLanguage(language);
			const text = textOf(messages);
			for (const [name, words] of facts) expect(text, `${name} in ${language}`).toContain(words);
			expect(facts.map(([name]) => name)).toEqual(inLanguage('en').facts.map(([name]) => name));
		}
	});

	describe.each(estimators)('by the %s count', (estimator) => {
		it.each([...shares])('about as many facts remain in each language at %d of the size', async (share) => {
			const all = [];
			for (const language of languages)
				all.push({ language, ...(await compacted(inLanguage(language), share, estimator)) });
			const counts = all.map(({ kept }) => kept);
			expect(Math.max(...counts) - Math.min(...counts), JSON.stringify(all)).toBeLessThanOrEqual(0.1);
		});
	});
});

describe('conversations without code', () => {
	it.each(languages)('a conversation without code fills its target: %s', async (language) => {
		for (const share of [0.5, 0.25]) {
			const { filled, target } = await compacted(journeyIn(language), share, 'exact');
			expect(filled, `of ${target}`).toBeGreaterThanOrEqual(0.8);
		}
	});

	it.each(languages)(
		'a conversation without code keeps two of five facts at half of its size: %s',
		async (language) => {
			const { kept, lost } = await compacted(journeyIn(language), 0.5, 'exact');
			expect(kept, lost.join(', ')).toBeGreaterThanOrEqual(0.4);
		},
	);
});
