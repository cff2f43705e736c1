/** Computes the point at which OpenCode compacts. All figures are tokens. */

import { lookupModel } from '../../models/registry.ts';
import type { Fields } from '../../shape.ts';
import { asFields, firstNumber } from '../../values.ts';
import {
	assumeWindow,
	createLimit,
	createWindowLimit,
	type LimitEvidence,
	type LimitRule,
} from '../reading/limit.ts';
import { createLocation } from '../reading/locations.ts';
import { parseJsonFields, pickFields, type SettingsSource } from '../reading/settings.ts';

/** Maximum tokens of an answer, and of the reserve in a window that counts only input. */
const maxReservedTokens = { answer: 32_000, reserved: 20_000 };

/**
 * The limit of an OpenCode session: the window minus the answer (at most 32,000). For a model with a separate input
 * limit, that limit minus `compaction.reserved` (by default at most 20,000). Limits of models come from OpenCode's
 * settings, otherwise from the registry. With `compaction.auto: false`, the limit is the whole window.
 */
export const openCodeLimit: LimitRule = (evidence) => {
	const { provider, model, settings = {} } = evidence;
	const userLimits = readUserLimits(evidence);
	const limits = lookupModel(provider, model);
	const assumedWindow = assumeWindow(evidence, userLimits.context);
	const { auto, reserved } = asFields(settings.compaction);
	if (auto === false) return createWindowLimit(assumedWindow);
	const output = evidence.statedOutput ?? userLimits.output ?? limits.outputLimit ?? maxReservedTokens.answer;
	const answer = Math.min(output, maxReservedTokens.answer) || maxReservedTokens.answer;
	const input = userLimits.input ?? (userLimits.context === undefined ? limits.maxInputTokens : undefined);
	if (input === undefined || input >= assumedWindow.window)
		return createLimit(assumedWindow, assumedWindow.window - answer);
	return createLimit(
		assumedWindow,
		input - (firstNumber(reserved) ?? Math.min(maxReservedTokens.reserved, answer)),
	);
};

/** Returns the limits that the user set for the model. */
function readUserLimits({ provider = '', model = '', settings = {} }: LimitEvidence) {
	const { models } = asFields(asFields(settings.provider)[provider]);
	const { context, input, output } = asFields(asFields(asFields(models)[model]).limit);
	return { context: firstNumber(context), input: firstNumber(input), output: firstNumber(output) };
}

/** Settings of OpenCode: the reserve, and the limits of models that the user set. */
export const openCodeSettings: SettingsSource = {
	files: [
		createLocation('XDG_CONFIG_HOME', ['.config'], 'opencode', 'opencode.json'),
		{ project: ['opencode.json'] },
		{ project: ['.opencode', 'opencode.json'] },
	],
	read(texts) {
		const compaction: Fields = {};
		const provider: Fields = {};
		for (const file of texts.map(parseJsonFields)) {
			Object.assign(compaction, pickFields(asFields(file.compaction), ['auto', 'reserved']));
			for (const [name, value] of Object.entries(asFields(file.provider)))
				provider[name] = { models: pickModelLimits(asFields(asFields(value).models)) };
		}
		return { settings: { compaction, provider } };
	},
};

/** Keeps only the limits of each model: its other settings may contain API keys. */
function pickModelLimits(models: Fields): Fields {
	return Object.fromEntries(
		Object.entries(models).map(([id, model]) => [id, pickFields(asFields(model), ['limit'])]),
	);
}
