/** Where OpenCode compacts by itself. All figures are tokens. */

import { lookupModel } from '../../models/registry.ts';
import type { Fields } from '../../shape.ts';
import {
	type LimitEvidence,
	type LimitRule,
	limitAt,
	supposedWindow,
	wholeWindow,
} from '../reading/limit.ts';
import { jsonFields, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf, firstNumber } from '../reading/values.ts';

/** What an answer may take at most, and what is kept free of a window that counts the input alone. */
const most = { answer: 32_000, reserved: 20_000 };

/**
 * The limit of a session of OpenCode: the window less what an answer may take (at most 32,000); of a model whose
 * input is limited apart, that limit less `compaction.reserved` (by default at most 20,000). Limits of models stand in
 * its settings, else they are the registry's. `compaction.auto: false` leaves the whole window.
 */
export const openCodeLimit: LimitRule = (evidence) => {
	const { provider, model, settings = {} } = evidence;
	const set = ownLimits(evidence);
	const known = lookupModel(provider, model);
	const supposed = supposedWindow({ ...evidence, statedWindow: evidence.statedWindow ?? set.context });
	const { auto, reserved } = fieldsOf(settings.compaction);
	if (auto === false) return wholeWindow(supposed);
	const output = evidence.statedOutput ?? set.output ?? known.outputLimit ?? most.answer;
	const answer = Math.min(output, most.answer) || most.answer;
	const input = set.input ?? (set.context === undefined ? known.maxInputTokens : undefined);
	if (input === undefined || input >= supposed.window) return limitAt(supposed, supposed.window - answer);
	return limitAt(supposed, input - (firstNumber(reserved) ?? Math.min(most.reserved, answer)));
};

/** The limits that the user gave the model. */
function ownLimits({ provider = '', model = '', settings = {} }: LimitEvidence) {
	const { models } = fieldsOf(fieldsOf(settings.provider)[provider]);
	const { context, input, output } = fieldsOf(fieldsOf(fieldsOf(models)[model]).limit);
	return { context: firstNumber(context), input: firstNumber(input), output: firstNumber(output) };
}

/** The reserve, and the limits of the models that the user set. */
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
			Object.assign(compaction, onlyFields(fieldsOf(file.compaction), ['auto', 'reserved']));
			for (const [name, held] of Object.entries(fieldsOf(file.provider)))
				provider[name] = { models: limitsOf(fieldsOf(fieldsOf(held).models)) };
		}
		return { settings: onlyFilled({ compaction, provider }), environment: {} };
	},
};

/** Of each model its limits alone: keys stand beside them. */
function limitsOf(models: Fields): Fields {
	return Object.fromEntries(
		Object.entries(models).map(([id, model]) => [id, onlyFields(fieldsOf(model), ['limit'])]),
	);
}

function onlyFilled(fields: Readonly<Record<string, Fields>>): Fields {
	return Object.fromEntries(Object.entries(fields).filter(([, held]) => Object.keys(held).length > 0));
}
