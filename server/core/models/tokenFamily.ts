/**
 * How a family of models turns a conversation into tokens: the most similar vocabulary, the factor between the two
 * tokenizers, and the tokens around messages, calls and tools. The figures were measured against usage that providers
 * reported for real sessions; each names its source.
 */

import { type FamilyName, findFamily, keepsThinking } from './familyName.ts';
import { findImageRule, type ImageRule } from './imageRule.ts';
import { findMediaRule, type MediaRule } from './mediaRule.ts';
import { parseModelId } from './modelId.ts';
import { canonicalizeProvider } from './provider.ts';

/** Tokens that a family spends on structure. */
interface Framing {
	/** Tokens around any message. */
	messageTokens: number;
	/** Additional tokens around a user message. */
	userTurnTokens: number;
	/** Tokens of each call, without its name. */
	toolCallTokens: number;
	/** Tokens of each top-level parameter of a call, including its name. */
	parameterTokens: number;
	toolResultTokens: number;
	/** Tokens added once if a request defines any tool. */
	toolUseTokens: number;
	/** Tokens of each tool definition. */
	toolTokens: number;
}

export interface TokenFamily {
	name: FamilyName;
	/** The vocabulary whose counts `factor` scales. */
	vocabulary: 'o200k' | 'claude2';
	/** Tokens of the model per token of `vocabulary`. */
	factor: number;
	framing: Framing;
	/**
	 * How long the model sees its own thinking: always (`kept`), until the `turn` ends, or `never` again.
	 * With `turn`, thinking next to a final answer never reaches another call.
	 */
	reasoning: 'kept' | 'turn' | 'never';
	/** How tools reach the model: as JSON, or rewritten as type declarations. */
	tools: 'json' | 'declarations';
	imageRule: ImageRule;
	mediaRule: MediaRule;
}

/**
 * Fitted to 1,957 steps of 20 Claude sessions (Claude Code, Agent SDK, pi) between two reported prompts: 28 per call
 * besides its name, 14-16 per parameter, 16-30 per result. Anthropic documents 346 for tool use with automatic choice.
 */
const claudeFraming: Framing = {
	messageTokens: 0,
	userTurnTokens: 8,
	toolCallTokens: 28,
	parameterTokens: 15,
	toolResultTokens: 16,
	toolUseTokens: 346,
	toolTokens: 12,
};

/**
 * OpenAI's cookbook: 3 tokens per message and 1 for the role. A call and its result are separate messages with a
 * recipient, a channel and a constraint (harmony format). The fitted median of 309 Codex steps is 36 for both together.
 */
const openaiFraming: Framing = {
	messageTokens: 4,
	userTurnTokens: 0,
	toolCallTokens: 16,
	parameterTokens: 4,
	toolResultTokens: 12,
	toolUseTokens: 16,
	toolTokens: 8,
};

/** Gemini's reported growth (9 steps, 2.5 Flash) leaves almost nothing for structure. */
const geminiFraming: Framing = {
	messageTokens: 1,
	userTurnTokens: 0,
	toolCallTokens: 3,
	parameterTokens: 1,
	toolResultTokens: 3,
	toolUseTokens: 0,
	toolTokens: 4,
};

/**
 * Claude’s tokens per token of the Claude 2 vocabulary: 1.07 in pi, which adds no hidden text; 1.10 in Claude Code,
 * whose reminders appear in no log and also need tokens. The newer tokenizer produces 30% more.
 */
const claudeFactor = 1.12;
const newTokenizerFactor = 1.3;

type FamilyProfile = Omit<TokenFamily, 'name' | 'imageRule' | 'mediaRule'>;

const claudeProfile: FamilyProfile = {
	vocabulary: 'claude2',
	factor: claudeFactor,
	framing: claudeFraming,
	reasoning: 'kept',
	tools: 'json',
};

const createOpenModelProfile = (factor: number): FamilyProfile => ({
	vocabulary: 'o200k',
	factor,
	framing: openaiFraming,
	reasoning: 'turn',
	tools: 'json',
});

/** Factors relative to o200k, from running the models' own tokenizers over a mix of agent transcripts. */
const familyProfiles: Readonly<Record<FamilyName, FamilyProfile>> = {
	claude: claudeProfile,
	'claude-4.7': { ...claudeProfile, factor: claudeFactor * newTokenizerFactor },
	openai: { ...createOpenModelProfile(1), tools: 'declarations' },
	gemini: { ...createOpenModelProfile(1.18), framing: geminiFraming, reasoning: 'never' },
	mistral: createOpenModelProfile(1.07),
	deepseek: createOpenModelProfile(1.06),
	qwen: createOpenModelProfile(1.02),
	llama: createOpenModelProfile(0.99),
	// Most tokenizers produce slightly more tokens than o200k; unknown models are counted like them.
	unknown: { ...createOpenModelProfile(1.05), reasoning: 'kept' },
};

/** Returns the family of a model: by its name if that implies one, else by its provider. */
export function lookupTokenFamily(provider: string | undefined, model: string | undefined): TokenFamily {
	const id = parseModelId(model ?? '');
	const name = findFamily(canonicalizeProvider(provider), id);
	const family = {
		name,
		...familyProfiles[name],
		imageRule: findImageRule(name, id.name),
		mediaRule: findMediaRule(name, id.name),
	};
	if (name === 'claude' && !keepsThinking(id.name)) family.reasoning = 'turn';
	return family;
}
