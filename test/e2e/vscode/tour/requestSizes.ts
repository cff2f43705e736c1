/** The usage figures that a provider would report for the answers of a story. */

import type { StoryMessage } from './story.ts';

/** Tokens of Claude Code's system prompt and tools, which are not among the messages. */
const systemTokens = 24_000;
const charactersPerToken = 3.4;

/** Adds up the messages of a session, so that each answer reports the size of its request. */
export class RequestSizes {
	#characters = 0;
	#answers = 0;

	/** Tokens of the next request. */
	get tokens(): number {
		return systemTokens + Math.round(this.#characters / charactersPerToken);
	}

	/** Resets the sum after a compaction. */
	restart(): void {
		this.#characters = 0;
	}

	/** Returns a message in stored form: an answer has its model, an id and the usage of its request. */
	sent(message: StoryMessage): object {
		const answer = message.role === 'assistant' ? this.#answerFields() : {};
		this.#characters += JSON.stringify(message.content).length;
		return { ...message, ...answer };
	}

	#answerFields(): object {
		return {
			id: `msg_${++this.#answers}`,
			type: 'message',
			model: 'claude-sonnet-4-5',
			stop_reason: 'end_turn',
			usage: { input_tokens: 4, cache_read_input_tokens: this.tokens - 4, output_tokens: 300 },
		};
	}
}
