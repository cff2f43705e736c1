/** Creates the AI SDK's model for a link. */

import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createVertex } from '@ai-sdk/google-vertex/edge';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { Environment } from '../../core/shape.ts';
import type { ChainLink } from '../../protocol/chain.ts';
import { type ProviderAccess, type RemoteProvider, requireAwsRegion } from './access.ts';
import { createTokenSource, isGoogleAccount } from './googleToken.ts';
import { guardedFetch } from './guardedFetch.ts';

/** Matches dated versions of Azure's API, whose addresses contain the deployment. */
const datedVersionPattern = /^\d{4}-\d{2}-\d{2}/;

interface ModelContext {
	link: ChainLink;
	access: ProviderAccess;
	environment: Environment;
	model: string;
	/** Options of all libraries. An empty `apiKey` keeps them from searching a key themselves. */
	common: { baseURL: string; apiKey: string; headers: Record<string, string>; fetch: typeof fetch };
}

/** Sends a request without its signature: the library signs even requests without keys. */
const fetchUnsigned: typeof fetch = (input, init) => {
	const headers = new Headers(init?.headers);
	for (const name of ['authorization', 'x-amz-date']) headers.delete(name);
	return guardedFetch(input, { ...init, headers });
};

function createVertexModel({ access, common, model, environment }: ModelContext): LanguageModel {
	const { apiKey, usesGoogleAccount } = access;
	const isTextKey = apiKey !== undefined && !isGoogleAccount(apiKey);
	if (isTextKey) return createVertex(common)(model);
	// The library would read this variable from the daemon's environment, but each client has its own.
	const account = apiKey ?? (environment.GOOGLE_APPLICATION_CREDENTIALS || undefined);
	const tokens = usesGoogleAccount || apiKey !== undefined ? createTokenSource(account) : undefined;
	// With an empty key the library would search for an account. `withToken` removes this placeholder.
	const withToken: typeof fetch = async (input, init) => {
		const headers = new Headers(init?.headers);
		headers.delete('x-goog-api-key');
		if (tokens) headers.set('authorization', `Bearer ${await tokens()}`);
		return guardedFetch(input, { ...init, headers });
	};
	return createVertex({ ...common, apiKey: 'none', fetch: withToken })(model);
}

const modelFactories: Readonly<
	Record<Exclude<RemoteProvider, 'openai-compact'>, (context: ModelContext) => LanguageModel>
> = {
	anthropic: ({ common, model }) => createAnthropic(common)(model),
	openai: ({ common, model }) => createOpenAI(common).responses(model),
	azure: ({ common, model, link: { apiVersion } }) =>
		createAzure({
			...common,
			...(apiVersion !== undefined && { apiVersion }),
			useDeploymentBasedUrls: datedVersionPattern.test(apiVersion ?? ''),
		}).chat(model),
	google: ({ common, model }) => createGoogleGenerativeAI(common)(model),
	vertex: createVertexModel,
	bedrock: ({ common, model, link, access: { apiKey, awsKeys }, environment }) =>
		createAmazonBedrock({
			...common,
			...(apiKey === undefined && !awsKeys && { fetch: fetchUnsigned }),
			region: requireAwsRegion(link, environment),
			...(awsKeys ?? { accessKeyId: 'none', secretAccessKey: 'none' }),
		})(model),
	mistral: ({ common, model }) => createMistral(common)(model),
	'openai-compatible': ({ common, model }) =>
		createOpenAICompatible({ ...common, name: 'openai-compatible', includeUsage: true })(model),
};

export function createLanguageModel(
	link: ChainLink & { provider: keyof typeof modelFactories },
	access: ProviderAccess,
	environment: Environment,
): LanguageModel {
	const common = {
		baseURL: access.baseURL,
		apiKey: access.apiKey ?? '',
		headers: { ...link.headers },
		fetch: guardedFetch,
	};
	return modelFactories[link.provider]({ link, access, environment, model: link.model ?? '', common });
}
