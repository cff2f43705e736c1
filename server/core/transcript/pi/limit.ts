/** Computes the point at which pi compacts. All figures are tokens. */

import type { Fields } from '../../shape.ts';
import { asFields, asList, firstNumber } from '../../values.ts';
import {
	assumeWindow,
	createLimit,
	createWindowLimit,
	type LimitEvidence,
	type LimitRule,
} from '../reading/limit.ts';
import { createLocation } from '../reading/locations.ts';
import { parseJsonFields, pickFields, readSettingMembers, type SettingsSource } from '../reading/settings.ts';

/** Tokens of the window that pi keeps free by default. */
const defaultReserve = 16_384;

/**
 * The limit of a pi session: the window minus `compaction.reserveTokens` of its settings; the whole
 * window if `compaction.enabled` is false. The window of a model that the user added is in `models.json`.
 */
export const piLimit: LimitRule = (evidence) => {
	const assumedWindow = assumeWindow(evidence, findUserModelWindow(evidence));
	const { enabled, reserveTokens } = asFields(evidence.settings?.compaction);
	if (enabled === false) return createWindowLimit(assumedWindow);
	return createLimit(assumedWindow, assumedWindow.window - (firstNumber(reserveTokens) ?? defaultReserve));
};

/** Returns the window of a model that the user added. */
export function findUserModelWindow({ provider = '', model, settings }: LimitEvidence): number | undefined {
	const { models } = asFields(asFields(settings?.providers)[provider]);
	const userModel = asList(models)
		.map(asFields)
		.find(({ id }) => id === model);
	return firstNumber(userModel?.contextWindow);
}

/** Settings of pi: the reserve, and the windows of models that the user added. */
export const piSettings: SettingsSource = {
	files: [
		createLocation('PI_CODING_AGENT_DIR', ['.pi', 'agent'], 'models.json'),
		createLocation('PI_CODING_AGENT_DIR', ['.pi', 'agent'], 'settings.json'),
		{ project: ['.pi', 'settings.json'] },
	],
	read([models = '', ...texts]) {
		const { settings } = readSettingMembers(texts, 'compaction', ['enabled', 'reserveTokens']);
		const providers = pickModelWindows(asFields(parseJsonFields(models).providers));
		return { settings: { ...settings, providers } };
	},
};

/** Keeps only the windows of each provider's models, because its settings also contain keys. */
export function pickModelWindows(providers: Fields): Fields {
	return Object.fromEntries(
		Object.entries(providers).map(([name, provider]) => {
			const models = asList(asFields(provider).models).map((model) =>
				pickFields(asFields(model), ['id', 'contextWindow']),
			);
			return [name, { models }];
		}),
	);
}
