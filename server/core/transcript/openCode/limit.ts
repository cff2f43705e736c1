/** The point at which OpenCode compacts. All figures are tokens. */

import { lookupModel } from '../../models/registry.ts';
import type { Fields } from '../../shape.ts';
import { assumedWindow, type LimitEvidence, type LimitRule, limitAt, wholeWindow } from '../reading/limit.ts';
import { jsonFields, pickFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf, firstNumber } from '../reading/values.ts';

/** Maximum tokens of an answer, and of the reserve in a window that counts only input. */
const maxTokens = { answer: 32_000, reserved: 20_000 };

/**
 * The limit of an OpenCode session: the window minus the answer (at most 32,000). For a model with a
 * separate input limit, that limit minus `compaction.reserved` (by default at most 20,000). Limits of models come
 * from its settings, otherwise from the registry. With `compaction.auto: false`, the limit is the whole window.
 */
export const openCodeLimit: LimitRule = (evidence) => {
	const { provider, model, settings = {} } = evidence;
	const set = ownLimits(evidence);
	const known = lookupModel(provider, model);
	const supposed = assumedWindow({ ...evidence, statedWindow: evidence.statedWindow ?? set.context });
	const { auto, reserved } = fieldsOf(settings.compaction);
	if (auto === false) return wholeWindow(supposed);
	const output = evidence.statedOutput ?? set.output ?? known.outputLimit ?? maxTokens.answer;
	const answer = Math.min(output, maxTokens.answer) || maxTokens.answer;
	const input = set.input ?? (set.context === undefined ? known.maxInputTokens : undefined);
	if (input === undefined || input >= supposed.window) return limitAt(supposed, supposed.window - answer);
	return limitAt(supposed, input - (firstNumber(reserved) ?? Math.min(maxTokens.reserved, answer)));
};

/** The limits that the user set for the model. */
function ownLimits({ provider = '', model = '', settings = {} }: LimitEvidence) {
	const { models } = fieldsOf(fieldsOf(settings.provider)[provider]);
	const { context, input, output } = fieldsOf(fieldsOf(fieldsOf(models)[model]).limit);
	return { context: firstNumber(context), input: firstNumber(input), output: firstNumber(output) };
}

/** The reserve, and the limits of models that the user set. */
export const openCodeSettings: SettingsSource = {
	files: [
		[
			{ variable: 'XDG_CONFIG_HOME', below: ['opencode', 'opencode.json'] },
			{ below: ['.config', 'opencode', 'opencode.json'] },
		],
		{ project: ['opencode.json'] },
		{ project: ['.opencode', 'opencode.json'] },
	],
	read(texts) {
		const compaction: Fields = {};
		const provider: Fields = {};
		for (const file of texts.map(jsonFields)) {
			Object.assign(compaction, pickFields(fieldsOf(file.compaction), ['auto', 'reserved']));
			for (const [name, held] of Object.entries(fieldsOf(file.provider)))
				provider[name] = { models: limitsOf(fieldsOf(fieldsOf(held).models)) };
		}
		return { settings: onlyFilled({ compaction, provider }), environment: {} };
	},
};

/** Keeps only the limits of each model, because its settings also contain keys. */
function limitsOf(models: Fields): Fields {
	return Object.fromEntries(
		Object.entries(models).map(([id, model]) => [id, pickFields(fieldsOf(model), ['limit'])]),
	);
}

function onlyFilled(fields: Readonly<Record<string, Fields>>): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([, held]) => Object.keys(held).length > 0));
}
