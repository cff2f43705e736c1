import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { get_encoding, Tiktoken } from 'tiktoken';
import type { Vocabulary } from '../../server/core/measure/text/exactCounter.ts';

/**
 * Returns a counter that uses OpenAI's tokenizer (tiktoken, compiled to WebAssembly) and treats special tokens as ordinary
 * text. For Claude 2, it uses the ranks and the pattern of @anthropic-ai/tokenizer, without that package's NFKC
 * normalization.
 */
export function referenceCount(vocabulary: Vocabulary): (text: string) => number {
	const tokenizer = vocabulary === 'o200k' ? get_encoding('o200k_base') : claude2();
	return (text) => tokenizer.encode_ordinary(text).length;
}

function claude2(): Tiktoken {
	const file = createRequire(import.meta.url).resolve('@anthropic-ai/tokenizer/claude.json');
	const { bpe_ranks, special_tokens, pat_str } = JSON.parse(readFileSync(file, 'utf8'));
	return new Tiktoken(bpe_ranks, special_tokens, pat_str);
}
