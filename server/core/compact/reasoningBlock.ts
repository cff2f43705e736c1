/** The reasoning in front of a summary, for models that expect every answer in their history to have some. */

/** What a block is made of. */
export interface Thinking {
	/** What it begins with. */
	prefix: string;
	/** When it is made, where that is to stand in it: milliseconds since the epoch. */
	at?: number;
}

/** Models that reason in the open, by their ids: the families of DeepSeek. */
const openReasoners = /deep-?seek/i;

/** Whether a summary needs a reasoning block to be read by a model as an answer of its own. */
export function requiresReasoningBlock(model: string): boolean {
	return openReasoners.test(model);
}

/** The block in front of a summary that stands for so many messages; nothing in its prefix can end it. */
export function reasoningBlock({ prefix, at }: Thinking, messages: number): string {
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
