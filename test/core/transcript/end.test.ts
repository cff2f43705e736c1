import { describe, expect, it } from 'vitest';
import { applyEvent, createOutline, type Outline } from '../../../server/core/transcript/outline.ts';
import type { TranscriptEvent } from '../../../server/core/transcript/reading/events.ts';
import { computeTranscriptEnd } from '../../../server/core/transcript/transcriptEnd.ts';
import type { IdentifiedMessage } from '../../../server/protocol/conversation.ts';

const nothing = createOutline();

function outline(...events: (TranscriptEvent | IdentifiedMessage)[]): Outline {
	const made = createOutline();
	for (const event of events) applyEvent(made, 't' in event ? event : { t: 'message', message: event });
	return made;
}

const user = (id: string, content: string): IdentifiedMessage => ({ id, role: 'user', content });
const answer = (id: string, prompt: number, output: number): IdentifiedMessage => ({
	id,
	role: 'assistant',
	content: 'Done.',
	usage: { input: 10, cacheRead: prompt - 10, output },
	timestamp: prompt,
});
const compaction = (summary: string, tokensBefore: number): TranscriptEvent => ({
	t: 'compaction',
	replacement: [user('summary', summary)],
	visibleIds: ['summary'],
	tokensBefore,
	trigger: 'auto',
});
const hundredWords = 'word '.repeat(100);

describe('the end of a transcript', () => {
	it('the end of a transcript gives the newest figure, regardless of earlier messages', () => {
		const whole = outline(user('u', hundredWords), answer('a', 5000, 20), answer('b', 9000, 30));
		const end = computeTranscriptEnd(whole, nothing);
		expect(end).toMatchObject({
			tokens: 9030,
			source: 'reported',
			answeredTokens: 9000,
			lastActivityAt: 9000,
		});
		expect(computeTranscriptEnd(outline(answer('b', 9000, 30)), nothing)).toEqual(end);
	});

	it('the end of a transcript adds an estimate of the messages after the newest figure', () => {
		const { tokens, source } = computeTranscriptEnd(
			outline(answer('a', 5000, 20), user('u', hundredWords)),
			nothing,
		);
		expect(source).toBe('anchored');
		expect(tokens - 5020).toBeGreaterThan(80);
		expect(tokens - 5020).toBeLessThan(160);
	});

	it("the end of a transcript counts an answer whose figure is from the stream's start", () => {
		const long = { ...answer('a', 5000, 1), content: hundredWords };
		expect(computeTranscriptEnd(outline(long), nothing).tokens).toBeGreaterThan(5080);
	});

	it('the end of a transcript ignores figures of aborted answers', () => {
		const broken: IdentifiedMessage = { ...answer('b', 90_000, 1), stopReason: 'error' };
		expect(computeTranscriptEnd(outline(answer('a', 5000, 20), broken), nothing).usage).toMatchObject({
			output: 20,
		});
	});

	it('the end of a transcript estimates the kept messages and the overhead after a compaction', () => {
		const start = outline(user('u', hundredWords), answer('a', 21_000, 20));
		const end = computeTranscriptEnd(
			outline(answer('b', 150_000, 20), compaction(hundredWords, 150_020)),
			start,
		);
		expect(end).toMatchObject({ source: 'estimated', compactedAt: 150_020, answeredTokens: 150_000 });
		expect(end.tokens).toBeGreaterThan(20_950);
		expect(end.tokens).toBeLessThan(21_150);
	});

	it('the end of a transcript uses a new figure after a compaction', () => {
		const whole = outline(answer('b', 150_000, 20), compaction('short', 150_020), answer('c', 30_000, 20));
		expect(computeTranscriptEnd(whole, nothing)).toMatchObject({ tokens: 30_020, source: 'reported' });
	});

	it('the end of an empty transcript has 0 tokens', () => {
		expect(computeTranscriptEnd(nothing, nothing)).toEqual({ tokens: 0, source: 'estimated' });
	});
});
