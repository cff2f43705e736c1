/** Decides which models are asked for a text, and in which order. */

import type { ChainLink } from '../../protocol/chain.ts';
import type { CompactionConfig } from '../../protocol/compact.ts';
import type { Settings } from '../../protocol/settings.ts';

/** Default milliseconds per attempt. */
const defaultTimeoutMs = 60_000;
/** Default number of retries per link. */
const defaultRetries = 1;

/** The default chain: the client, then an extract. The client gets all of the time, because it may ask its user. */
const defaultChain: readonly ChainLink[] = [
	{ provider: 'client', timeoutMs: 120_000, maxRetries: 0 },
	{ provider: 'extractive' },
];

/** A link with its defaults filled in. */
export interface ResolvedLink extends ChainLink {
	timeoutMs: number;
	maxRetries: number;
}

export interface Chain {
	/** Models and clients to ask, in order. */
	links: ResolvedLink[];
	/** Whether an extract of the conversation is used if all models fail. */
	isExtractive: boolean;
	/** Milliseconds that all links may take together. */
	totalTimeoutMs: number;
	/** Warnings for the user about the chain. */
	warnings: string[];
}

type ChainSelection = Pick<CompactionConfig, 'summarizationProvider' | 'summarizationModel'>;

/** Returns the display name of a link: its model's id, else its provider's name. */
export function getLinkName({ provider, model }: Pick<ChainLink, 'provider' | 'model'>): string {
	return model ?? provider;
}

/** Returns the links that a call selects; undefined if the user configured none of them. */
function selectLinks(
	allLinks: readonly ChainLink[],
	{ summarizationProvider: provider, summarizationModel: model }: ChainSelection,
): ChainLink[] | undefined {
	const providerLinks = allLinks.filter((link) => provider === undefined || link.provider === provider);
	const modelLinks =
		model === undefined ? providerLinks : providerLinks.filter((link) => link.model === model);
	if (modelLinks.length > 0) return modelLinks;
	const first = provider === undefined ? undefined : providerLinks.find((link) => link.model !== undefined);
	return first && model !== undefined ? [{ ...first, model }] : undefined;
}

function warnAboutSelection({
	summarizationProvider: provider,
	summarizationModel: model,
}: ChainSelection): string {
	const selection = [
		...(provider === undefined ? [] : [`summarizationProvider "${provider}"`]),
		...(model === undefined ? [] : [`summarizationModel "${model}"`]),
	].join(' with ');
	return `ignoring ${selection}: it names no entry of summarization.chain`;
}

/**
 * Returns the chain of one compaction. Without a configured chain, the client is asked if it offers to
 * summarize; otherwise the summary is an extract. A call may select among the configured links and name another model
 * of the same provider. No other model or client is ever asked.
 */
export function resolveChain(
	{ chain, useClient, totalTimeoutMs }: Settings['summarization'],
	selection: ChainSelection,
	canAskClient: boolean,
): Chain {
	const isClientAsked = useClient && canAskClient;
	const allLinks = chain.length > 0 ? chain : defaultChain;
	const { summarizationProvider, summarizationModel } = selection;
	const hasSelection = summarizationProvider !== undefined || summarizationModel !== undefined;
	const selectedLinks = hasSelection ? selectLinks(allLinks, selection) : undefined;
	const end = allLinks.findIndex(({ provider }) => provider === 'extractive');
	const usedLinks = selectedLinks ?? (end < 0 ? allLinks : allLinks.slice(0, end));
	return {
		links: usedLinks
			.filter(({ provider }) => provider !== 'extractive' && (provider !== 'client' || isClientAsked))
			.map((link) => ({ timeoutMs: defaultTimeoutMs, maxRetries: defaultRetries, ...link })),
		isExtractive: end >= 0,
		totalTimeoutMs,
		warnings: hasSelection && !selectedLinks ? [warnAboutSelection(selection)] : [],
	};
}
