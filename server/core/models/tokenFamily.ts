/**
 * How a family of models turns a conversation into tokens: which vocabulary comes nearest, by what factor its own
 * differs, and what it spends around messages, calls and tools. The figures were measured against what providers
 * reported for real sessions; each names its ground.
 */

import { type FamilyName, familyName, keepsThinking } from './familyName.ts';
import { type ImageRule, imageRuleOf } from './imageRule.ts';
import { type MediaRule, mediaRuleOf } from './mediaRule.ts';
import { parseModelId } from './modelId.ts';
import { canonicalProvider } from './provider.ts';

/** Tokens that a family spends on structure. */
interface Framing {
	/** Around any message. */
	message: number;
	/** More around a user message. */
	userTurn: number;
	/** Each call, beside its name. */
	toolCall: number;
	/** Each top-level parameter of a call, its name included. */
	parameter: number;
	toolResult: number;
	/** Once, where a request defines any tool. */
	toolUse: number;
	/** Each tool definition. */
	tool: number;
}

export interface TokenFamily {
	name: FamilyName;
	/** The vocabulary whose counts `factor` scales. */
	ranks: 'o200k' | 'claude2';
	/** Tokens of the model for one of `ranks`. */
	factor: number;
	framing: Framing;
	/**
	 * What becomes of thinking: `kept` for good; only until the `turn` ends, so that thinking beside a final
	 * answer never reaches a next call; or `never` sent back at all.
	 */
	reasoning: 'kept' | 'turn' | 'never';
	/** How tools reach the model: as the JSON they are, or rewritten as type declarations. */
	tools: 'json' | 'declarations';
	images: ImageRule;
	media: MediaRule;
}

/**
 * Fitted on 1 957 steps of 20 Claude sessions (Claude Code, Agent SDK, pi) between two reported prompts: 28 a
 * call beside its name, 14-16 a parameter, 16-30 a result. 346 is what Anthropic documents for tool use with automatic choice.
 */
const claudeFraming: Framing = {
	message: 0,
	userTurn: 8,
	toolCall: 28,
	parameter: 15,
	toolResult: 16,
	toolUse: 346,
	tool: 12,
};

/**
 * OpenAI's cookbook: 3 tokens a message and 1 for the role; a call and its result are messages of their own with a
 * recipient, a channel and a constraint (harmony format). Fitted median of 309 Codex steps: 36 for both together.
 */
const openaiFraming: Framing = {
	message: 4,
	userTurn: 0,
	toolCall: 16,
	parameter: 4,
	toolResult: 12,
	toolUse: 16,
	tool: 8,
};

/** Gemini's reported growth (9 steps, 2.5 Flash) leaves next to nothing for structure. */
const geminiFraming: Framing = {
	message: 1,
	userTurn: 0,
	toolCall: 3,
	parameter: 1,
	toolResult: 3,
	toolUse: 0,
	tool: 4,
};

/**
 * Claude’s text over the Claude 2 vocabulary: 1.07 in pi, which adds nothing of its own; 1.10 in Claude Code, whose
 * reminders no log shows and which need room too. The newer tokenizer makes 30% more.
 */
const claudeFactor = 1.12;
const newTokenizer = 1.3;

type Profile = Omit<TokenFamily, 'images' | 'media'>;

const claude: Profile = {
	name: 'claude',
	ranks: 'claude2',
	factor: claudeFactor,
	framing: claudeFraming,
	reasoning: 'kept',
	tools: 'json',
};

const open = (name: FamilyName, factor: number): Profile => ({
	name,
	ranks: 'o200k',
	factor,
	framing: openaiFraming,
	reasoning: 'turn',
	tools: 'json',
});

/** Factors over o200k: the models' own tokenizers run over a mix of agent transcripts. */
const families: Readonly<Record<FamilyName, Profile>> = {
	claude,
	'claude-4.7': {
		...claude,
		name: 'claude-4.7',
		factor: claudeFactor * newTokenizer,
	},
	openai: { ...open('openai', 1), tools: 'declarations' },
	gemini: { ...open('gemini', 1.18), framing: geminiFraming, reasoning: 'never' },
	mistral: open('mistral', 1.07),
	deepseek: open('deepseek', 1.06),
	qwen: open('qwen', 1.02),
	llama: open('llama', 0.99),
	// Most tokenizers lie a little above o200k; who is unknown is counted as they are.
	unknown: { ...open('unknown', 1.05), reasoning: 'kept' },
};

/** The family of a model: by its name where that tells, else by its provider. */
export function tokenFamily(provider: string | undefined, model: string | undefined): TokenFamily {
	const id = parseModelId(model ?? '');
	const name = familyName(canonicalProvider(provider), id);
	const family = { ...families[name], images: imageRuleOf(name, id.name), media: mediaRuleOf(name, id.name) };
	if (name === 'claude' && !keepsThinking(id.name)) family.reasoning = 'turn';
	return family;
}
