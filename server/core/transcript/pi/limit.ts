/** The point at which pi compacts. All figures are tokens. */

import type { Fields } from '../../shape.ts';
import { assumedWindow, type LimitEvidence, type LimitRule, limitAt, wholeWindow } from '../reading/limit.ts';
import { jsonFields, pickFields, readSettingsMembers, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf, firstNumber, listOf } from '../reading/values.ts';

/** Default number of tokens that are kept free of the window. */
const usualReserve = 16_384;

/**
 * The limit of a pi session: the window minus `compaction.reserveTokens` of its settings; the whole
 * window if `compaction.enabled` is false. The window of a model that the user added is in `models.json`.
 */
export const piLimit: LimitRule = (evidence) => {
	const supposed = assumedWindow({
		...evidence,
		statedWindow: evidence.statedWindow ?? ownModelWindow(evidence),
	});
	const { enabled, reserveTokens } = fieldsOf(evidence.settings?.compaction);
	if (enabled === false) return wholeWindow(supposed);
	return limitAt(supposed, supposed.window - (firstNumber(reserveTokens) ?? usualReserve));
};

/** The window of a model that the user added. */
export function ownModelWindow({ provider = '', model, settings }: LimitEvidence): number | undefined {
	const { models } = fieldsOf(fieldsOf(settings?.providers)[provider]);
	const own = listOf(models)
		.map(fieldsOf)
		.find(({ id }) => id === model);
	return firstNumber(own?.contextWindow);
}

/** The reserve, and the windows of models that the user added. */
export const piSettings: SettingsSource = {
	files: [piFile('models.json'), piFile('settings.json'), { project: ['.pi', 'settings.json'] }],
	read([models = '', ...texts]) {
		const { settings, environment } = readSettingsMembers(texts, 'compaction', ['enabled', 'reserveTokens']);
		const providers = windowsOf(fieldsOf(jsonFields(models).providers));
		return {
			settings: { ...settings, ...(Object.keys(providers).length > 0 && { providers }) },
			environment,
		};
	},
};

function piFile(name: string) {
	return [{ variable: 'PI_CODING_AGENT_DIR', below: [name] }, { below: ['.pi', 'agent', name] }];
}

/** Keeps only the windows of each provider's models, because its settings also contain keys. */
export function windowsOf(providers: Fields): Fields {
	return Object.fromEntries(
		Object.entries(providers).map(([name, provider]) => {
			const models = listOf(fieldsOf(provider).models).map((model) =>
				pickFields(fieldsOf(model), ['id', 'contextWindow']),
			);
			return [name, { models }];
		}),
	);
}
