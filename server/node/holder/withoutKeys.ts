/** Settings as another process may see them. */

import { checkLayer, mergeLayers } from '../../core/settings/layers.ts';
import { present } from '../../core/shape.ts';
import type { ChainLink, Settings } from '../../protocol/settings.ts';

/** A link without its key, and without what a key may stand in. */
export function linkWithoutKeys({ provider, model, timeoutMs, maxRetries }: ChainLink): ChainLink {
	return {
		provider,
		...present({ model, timeoutMs, maxRetries }),
	};
}

/** The settings of this process, for whoever works by them in its stead. */
export function settingsWithoutKeys(settings: Settings): Settings {
	const { summarization } = settings;
	return {
		...settings,
		summarization: { ...summarization, chain: summarization.chain.map(linkWithoutKeys) },
	};
}

/**
 * The link of one's own that another process means; undefined where there is none. Never that process's own words: an
 * address among them could lead a key astray.
 */
export function ownLink(
	{ summarization: { chain } }: Settings,
	{ provider, model }: ChainLink,
): ChainLink | undefined {
	const named = chain.find((link) => link.provider === provider && link.model === model);
	if (named) return named;
	if (provider === 'client') return { provider };
	const sameProvider = chain.find((link) => link.provider === provider);
	return sameProvider && { ...sameProvider, model };
}

/** The settings of another process, which may be of another version: what is missing or odd among them is as by default. */
export function settingsOfOther(given: unknown): Settings {
	return mergeLayers([checkLayer(given, 'another process')]);
}
