/** Who reads the messages: Chat Completions has dialects. */
export type Dialect = 'openai' | 'mistral' | 'deepseek';

/** The dialect of a provider or a model, by name; plain Chat Completions where neither says. */
export function dialectOf(options: { provider?: string; model?: string }): Dialect {
	const named = `${options.provider ?? ''} ${options.model ?? ''}`.toLowerCase();
	if (/mistral|codestral|devstral|magistral|ministral/.test(named)) return 'mistral';
	return named.includes('deepseek') ? 'deepseek' : 'openai';
}
