/** A link's model, as the AI SDK knows it. */

import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createAzure } from '@ai-sdk/azure';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createVertex } from '@ai-sdk/google-vertex/edge';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModel } from 'ai';
import type { ChainLink } from '../../protocol/settings.ts';
import { type Access, awsRegion, type Environment, type RemoteProvider } from './access.ts';
import { googleTokens, isAccount } from './googleToken.ts';
import { guardedFetch } from './guardedFetch.ts';

/** Versions of Azure's API by date are those whose addresses name the deployment. */
const datedVersion = /^\d{4}-\d{2}-\d{2}/;

interface Made {
	link: ChainLink;
	access: Access;
	environment: Environment;
	model: string;
	/** Where there is no key the libraries take the empty one, and look for no other. */
	common: { baseURL: string; apiKey: string; headers: Record<string, string>; fetch: typeof fetch };
}

/** The library signs whatever it is given. */
const unsigned: typeof fetch = (input, init) => {
	const headers = new Headers(init?.headers);
	for (const name of ['authorization', 'x-amz-date']) headers.delete(name);
	return guardedFetch(input, { ...init, headers });
};

function vertexModel({ access, common, model, environment }: Made): LanguageModel {
	const { apiKey, usesGoogleAccount } = access;
	const isText = apiKey !== undefined && !isAccount(apiKey);
	if (isText) return createVertex(common)(model);
	// The library would read this variable of its own process, which serves several clients.
	const account = apiKey ?? (environment.GOOGLE_APPLICATION_CREDENTIALS || undefined);
	const tokens = usesGoogleAccount || apiKey !== undefined ? googleTokens(account) : undefined;
	// The empty key would have the library look for an account by itself; this one is taken off again.
	const withToken: typeof fetch = async (input, init) => {
		const headers = new Headers(init?.headers);
		headers.delete('x-goog-api-key');
		if (tokens) headers.set('authorization', `Bearer ${await tokens()}`);
		return guardedFetch(input, { ...init, headers });
	};
	return createVertex({ ...common, apiKey: 'none', fetch: withToken })(model);
}

const makers: Readonly<Record<Exclude<RemoteProvider, 'openai-compact'>, (made: Made) => LanguageModel>> = {
	anthropic: ({ common, model }) => createAnthropic(common)(model),
	openai: ({ common, model }) => createOpenAI(common).responses(model),
	azure: ({ common, model, link: { apiVersion } }) =>
		createAzure({
			...common,
			...(apiVersion !== undefined && { apiVersion }),
			useDeploymentBasedUrls: datedVersion.test(apiVersion ?? ''),
		}).chat(model),
	google: ({ common, model }) => createGoogleGenerativeAI(common)(model),
	vertex: vertexModel,
	bedrock: ({ common, model, link, access: { apiKey, awsKeys }, environment }) =>
		createAmazonBedrock({
			...common,
			...(apiKey === undefined && !awsKeys && { fetch: unsigned }),
			region: awsRegion(link, environment),
			...(awsKeys ?? { accessKeyId: 'none', secretAccessKey: 'none' }),
		})(model),
	mistral: ({ common, model }) => createMistral(common)(model),
	'openai-compatible': ({ common, model }) =>
		createOpenAICompatible({ ...common, name: 'openai-compatible', includeUsage: true })(model),
};

/** The model that a link names. */
export function languageModel(
	link: ChainLink & { provider: keyof typeof makers },
	access: Access,
	environment: Environment,
): LanguageModel {
	const common = {
		baseURL: access.baseURL,
		apiKey: access.apiKey ?? '',
		headers: { ...link.headers },
		fetch: guardedFetch,
	};
	return makers[link.provider]({ link, access, environment, model: link.model ?? '', common });
}
