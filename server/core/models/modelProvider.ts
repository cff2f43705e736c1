/** Whose model a name is, where nobody said. */

import { type FamilyName, familyName } from './familyName.ts';
import { parseModelId } from './modelId.ts';

/** Whose rules hold where neither a provider nor a telling model is named. */
export const defaultProvider = 'openai';

const makers: Readonly<Record<FamilyName, string>> = {
	claude: 'anthropic',
	'claude-4.7': 'anthropic',
	openai: 'openai',
	gemini: 'google-ai',
	mistral: 'mistral',
	deepseek: 'deepseek',
	qwen: 'qwen',
	llama: defaultProvider,
	unknown: defaultProvider,
};

/** The provider that a model's name speaks of; the default where it speaks of none. */
export function providerOfModel(model: string | undefined): string {
	return model ? makers[familyName('', parseModelId(model))] : defaultProvider;
}
