/** Who is asked for a text, in which order. */

import type { CompactionConfig } from '../../protocol/compact.ts';
import type { ChainLink, Settings } from '../../protocol/settings.ts';

/** Milliseconds of one attempt, and attempts beyond the first, where the user says nothing else. */
const defaultTimeout = 60_000;
const defaultRetries = 1;

/** Where nothing is configured: a client asks its user, and may take the time that all have together. */
const defaultChain: readonly ChainLink[] = [
	{ provider: 'client', timeoutMs: 120_000, maxRetries: 0 },
	{ provider: 'extractive' },
];

/** A link with what holds where nothing is set. */
export interface AskedLink extends ChainLink {
	timeoutMs: number;
	maxRetries: number;
}

export interface Chain {
	/** Those who are asked, in order. */
	links: AskedLink[];
	/** Whether the conversation's own words stand in where all of them fail. */
	isExtractive: boolean;
	/** Milliseconds that all of them may take together. */
	totalTimeoutMs: number;
	/** What the user should know. */
	warnings: string[];
}

type Wish = Pick<CompactionConfig, 'summarizationProvider' | 'summarizationModel'>;

/** What a link is called: its model's id, else its provider's name. */
export function linkName({ provider, model }: Pick<ChainLink, 'provider' | 'model'>): string {
	return model ?? provider;
}

/** The links that a call names; undefined where it names none that the user configured. */
function namedLinks(
	all: readonly ChainLink[],
	{ summarizationProvider: provider, summarizationModel: model }: Wish,
): ChainLink[] | undefined {
	const ofProvider = all.filter((link) => provider === undefined || link.provider === provider);
	const ofModel = ofProvider.filter((link) => link.model === model);
	if (model === undefined || ofModel.length > 0) {
		const named = model === undefined ? ofProvider : ofModel;
		return named.length > 0 ? named : undefined;
	}
	const [first] = provider === undefined ? [] : ofProvider.filter((link) => link.model !== undefined);
	return first && [{ ...first, model }];
}

function warningOf({ summarizationProvider: provider, summarizationModel: model }: Wish): string {
	const wish = [
		...(provider === undefined ? [] : [`summarizationProvider "${provider}"`]),
		...(model === undefined ? [] : [`summarizationModel "${model}"`]),
	].join(' with ');
	return `${wish} names no entry of summarization.chain: it is as if it were not given`;
}

/**
 * The chain of one compaction. Without one in the settings the client is asked where it offers to summarize, and the
 * conversation's own words stand in. A call may choose among what the user configured, and name another model of the
 * same provider; nobody else is ever asked.
 */
export function chainOf(
	{ chain, useClient, totalTimeoutMs }: Settings['summarization'],
	wish: Wish,
	clientOffers: boolean,
): Chain {
	const asksClient = useClient && clientOffers;
	const all = chain.length > 0 ? chain : defaultChain;
	const isWish = wish.summarizationProvider !== undefined || wish.summarizationModel !== undefined;
	const named = isWish ? namedLinks(all, wish) : undefined;
	const end = all.findIndex(({ provider }) => provider === 'extractive');
	const asked = named ?? (end < 0 ? all : all.slice(0, end));
	return {
		links: asked
			.filter(({ provider }) => provider !== 'extractive' && (provider !== 'client' || asksClient))
			.map((link) => ({ timeoutMs: defaultTimeout, maxRetries: defaultRetries, ...link })),
		isExtractive: end >= 0,
		totalTimeoutMs,
		warnings: isWish && !named ? [warningOf(wish)] : [],
	};
}
