/** Creates the reasoning before a summary, for models that require reasoning before every answer in their history. */

/** The content of a reasoning block. */
export interface Thinking {
	/** Text at the beginning of the block. */
	prefix: string;
	/** Time that the block shows, if any: milliseconds since the epoch. */
	at?: number;
}

/** Matches ids of models that show their reasoning: the families of DeepSeek. */
const reasoningModelPattern = /deep-?seek/i;

/** Whether a model accepts a summary only with a reasoning block before it. */
export function requiresReasoningBlock(model: string): boolean {
	return reasoningModelPattern.test(model);
}

/** Returns the block before a summary of `messages` messages. The prefix cannot close the block early. */
export function createReasoningBlock({ prefix, at }: Thinking, messages: number): string {
	const facts = [
		`- ${messages} earlier ${messages === 1 ? 'message is' : 'messages are'} replaced by the summary that follows`,
		...(at === undefined ? [] : [`- summarized at ${new Date(at).toISOString()}`]),
	];
	const harmless = prefix.replace(/<(\/?)thinking/gi, '<$1 thinking');
	return [
		'<thinking>',
		...(harmless === '' ? [] : [harmless, '']),
		'Context Analysis:',
		...facts,
		'</thinking>',
	].join('\n');
}
