/** Where pi compacts by itself. All figures are tokens. */

import type { Fields } from '../../shape.ts';
import {
	type LimitEvidence,
	type LimitRule,
	limitAt,
	supposedWindow,
	wholeWindow,
} from '../reading/limit.ts';
import { jsonFields, membersOf, onlyFields, type SettingsSource } from '../reading/settings.ts';
import { fieldsOf, firstNumber, listOf } from '../reading/values.ts';

/** What is kept free of the window, unless it is set. */
const usualReserve = 16_384;

/**
 * The limit of a session of pi: the window less `compaction.reserveTokens` of its settings; the whole window where
 * `compaction.enabled` is off. The window is that of `models.json`, where the model is one of the user's own.
 */
export const piLimit: LimitRule = (evidence) => {
	const supposed = supposedWindow({
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

/** The reserve, and the windows of the models that the user added. */
export const piSettings: SettingsSource = {
	files: [piFile('models.json'), piFile('settings.json'), { project: ['.pi', 'settings.json'] }],
	read([models = '', ...texts]) {
		const { settings, environment } = membersOf(texts, 'compaction', ['enabled', 'reserveTokens']);
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

/** Of each provider its models' windows alone: keys stand beside them. */
export function windowsOf(providers: Fields): Fields {
	return Object.fromEntries(
		Object.entries(providers).map(([name, provider]) => {
			const models = listOf(fieldsOf(provider).models).map((model) =>
				onlyFields(fieldsOf(model), ['id', 'contextWindow']),
			);
			return [name, { models }];
		}),
	);
}
