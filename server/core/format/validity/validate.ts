import type { FormatName } from '../../../protocol/conversation.ts';
import { ANTHROPIC } from './anthropic.ts';
import { GEMINI } from './gemini.ts';
import { NEUROLINK, NEUTRAL } from './neutral.ts';
import { DEEPSEEK, MISTRAL, OPENAI } from './openai.ts';
import { RESPONSES } from './responses.ts';
import type { Problem, Rule } from './rule.ts';

/** Who must be able to read the messages: a format, or a provider with rules of its own. */
export type Reader = FormatName | 'mistral' | 'deepseek';

export interface Validity {
	valid: boolean;
	problems: Problem[];
}

const RULES: Record<Reader, readonly Rule[]> = {
	contextd: NEUTRAL,
	anthropic: ANTHROPIC,
	openai: OPENAI,
	mistral: MISTRAL,
	deepseek: DEEPSEEK,
	'openai-responses': RESPONSES,
	gemini: GEMINI,
	neurolink: NEUROLINK,
};

/** Whether a reader takes the messages, in its own wire format, and where they break its rules. */
export function validate(messages: readonly unknown[], reader: Reader): Validity {
	const problems: Problem[] = [];
	for (const rule of RULES[reader]) {
		rule.check(messages, (index, message) => problems.push({ index, rule: rule.name, message }));
	}
	return { valid: problems.length === 0, problems };
}
