/**
 * The loop of an agent that uses contextd, in TypeScript. With contextd among your dependencies:
 *
 *   node loop.ts          (Node 22.18 or later; npx tsx loop.ts before that)
 */

import { type Client, connect } from 'contextd';
import type { ModelRequest } from 'contextd/protocol';

/** What a model answers: its text, and the tokens that its provider counted. */
interface Answer {
	text: string;
	usage: { input: number; output: number };
}

const request: ModelRequest = { systemPrompt: 'You are a patient teacher.' };

/** Asks the model. If the context overflows anyway, contextd compacts and returns what to send instead. */
async function ask(daemon: Client, sessionId: string): Promise<Answer> {
	const prepareResult = await daemon.request('context/prepare', { sessionId, request, format: 'anthropic' });
	if (prepareResult.compaction?.compacted) {
		console.log(
			`  compacted: ${prepareResult.compaction.tokensBefore} -> ${prepareResult.compaction.tokensAfter} tokens`,
		);
	}
	let { messages } = prepareResult;
	for (;;) {
		try {
			return callModel(messages);
		} catch (error) {
			const recoverResult = await daemon.request('context/recover', {
				sessionId,
				error,
				request,
				format: 'anthropic',
			});
			if (!recoverResult.retryable || !recoverResult.messages) throw error;
			console.log(
				`  recovered: ${recoverResult.compaction?.tokensBefore} -> ${recoverResult.compaction?.tokensAfter} tokens`,
			);
			messages = recoverResult.messages;
		}
	}
}

/** Replaces your provider's API: a model that takes 5,000 tokens, although 8,000 were stated. */
function callModel(messages: unknown[]): Answer {
	const input = Math.ceil(JSON.stringify(messages).length / 4);
	if (input > 5_000) throw new Error(`prompt is too long: ${input} tokens > 5000 maximum`);
	const text = `Message ${messages.length} deserves a long answer. `.repeat(40);
	return { text, usage: { input, output: Math.ceil(text.length / 4) } };
}

const client = await connect();
try {
	const { sessionId } = await client.request('session/open', {
		provider: 'anthropic',
		model: 'claude-sonnet-4-5',
		contextWindow: 8_000,
		maxOutputTokens: 1_000,
	});
	for (let turn = 1; turn <= 30; turn++) {
		const question = { role: 'user', content: `Question ${turn}: what is ${turn} times ${turn}?` };
		await client.request('session/append', { sessionId, messages: [question] });
		const { text, usage } = await ask(client, sessionId);
		await client.request('session/append', {
			sessionId,
			messages: [{ role: 'assistant', content: text, usage }],
		});
		const stats = await client.request('context/stats', { sessionId });
		console.log(`turn ${turn}: ${stats?.estimatedInputTokens} tokens, ${stats?.state}`);
	}
	await client.request('session/delete', { sessionId });
} finally {
	await client.close();
}
