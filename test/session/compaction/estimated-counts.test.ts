/** Clients that shorten results estimate the tokens that they sent; such counts are not treated as exact. */

import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../server/core/measure/text/textCounter.ts';
import type { ChatMessage } from '../../../server/protocol/conversation.ts';
import { readContextUsage } from '../../../server/session/contextUsage.ts';
import { logLines } from '../../support/messages.ts';
import { compactNow, historyOf, sessionWith, testWorld } from '../../support/world.ts';

const overheadTokens = 5000;
const targetTokens = 6000;

/** Returns a session of reads whose results were sent shortened, and which the provider counts as a share of the estimate. */
function shortenedReads(count: number, share: number): ChatMessage[] {
	const messages: ChatMessage[] = [{ role: 'user', content: 'Read all logs.' }];
	let prompt = overheadTokens;
	for (let no = 0; no < count; no++) {
		const whole = logLines(120, no);
		const tokens = estimateTokens(whole.slice(0, 0.8 * whole.length));
		const usage = { input: 0, cacheRead: Math.round(prompt), output: 20 };
		messages.push(
			{ role: 'assistant', content: '', toolCalls: [{ id: `c${no}`, name: 'read', args: { no } }], usage },
			{ role: 'tool', toolCallId: `c${no}`, content: whole, tokens, hasEstimatedTokens: true },
		);
		prompt += 20 + share * tokens;
	}
	return messages;
}

async function sizeAfterCompaction(share: number): Promise<number> {
	const session = await sessionWith(testWorld(), shortenedReads(40, share));
	await compactNow(session, { targetTokens });
	const texts = (await historyOf(session)).map(({ content }) => JSON.stringify(content));
	return share * texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

describe("a client's estimate of shortened results", () => {
	it.each([0.8, 1, 1.25])(
		'lets a compaction reach its target if the provider counts %d times the estimate',
		async (share) => {
			const size = await sizeAfterCompaction(share);
			expect(size).toBeLessThan(1.2 * targetTokens);
			expect(size).toBeGreaterThan(0.6 * targetTokens);
		},
	);

	it('is scaled by the usage that the provider reports', async () => {
		const session = await sessionWith(testWorld(), shortenedReads(40, 0.8));
		const { breakdown } = (await readContextUsage(session, session.client)).meterReading;
		expect(breakdown.systemPrompt + breakdown.other).toBeGreaterThan(0.9 * overheadTokens);
		expect(breakdown.systemPrompt + breakdown.other).toBeLessThan(1.1 * overheadTokens);
	});
});
