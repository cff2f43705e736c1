/** Determines address and key for calls of a provider. */

import type { Environment } from '../../core/shape.ts';
import type { ChainLink, SummaryProvider } from '../../protocol/chain.ts';

/** A provider that is called over the network. */
export type RemoteProvider = Exclude<SummaryProvider, 'client' | 'extractive'>;

export interface AwsKeys {
	accessKeyId: string;
	secretAccessKey: string;
	sessionToken?: string;
}

/** Address and credentials for a link of the summary chain. */
export interface ProviderAccess {
	/** The provider's address. Variables of the provider's library are ignored. */
	baseURL: string;
	/** The key; absent if none may be sent to this address. */
	apiKey?: string;
	/** Keys for `bedrock` without an `apiKey`. */
	awsKeys?: AwsKeys;
	/** Whether the Google account of the machine may be used. */
	usesGoogleAccount: boolean;
}

/** A provider's own address and key variables. */
interface ProviderDefaults {
	/** Variables that usually contain the provider's key; the first one that is set is used. */
	keyVariables: readonly string[];
	/** Returns the provider's own address; undefined if a part of the address is missing. */
	baseURL(link: ChainLink, environment: Environment): string | undefined;
	/** Whether an address belongs to the provider, so that a key from a variable may be sent there. */
	isOwn(url: URL, link: ChainLink, environment: Environment): boolean;
	/** What the user must add if there is no address. */
	missingText?: string;
}

/** Returns the defaults of a provider with one fixed address. */
function createFixedProvider(baseURL: string, ...keyVariables: string[]): ProviderDefaults {
	const { host } = new URL(baseURL);
	return { keyVariables, baseURL: () => baseURL, isOwn: (url) => url.host === host };
}

function findAzureResource({ resourceName }: ChainLink, environment: Environment): string | undefined {
	return resourceName ?? environment.AZURE_RESOURCE_NAME;
}

function findRegion({ region }: ChainLink, environment: Environment): string | undefined {
	return region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
}

/** Returns project and location of a Vertex link, from the link or the environment. */
function findVertexProject(
	{ project, location }: ChainLink,
	environment: Environment,
): { project: string | undefined; location: string | undefined } {
	return {
		project: project ?? environment.GOOGLE_VERTEX_PROJECT ?? environment.GOOGLE_CLOUD_PROJECT,
		location: location ?? environment.GOOGLE_VERTEX_LOCATION ?? environment.GOOGLE_CLOUD_LOCATION,
	};
}

function getVertexHost(location: string): string {
	if (location === 'global') return 'aiplatform.googleapis.com';
	if (location === 'eu' || location === 'us') return `aiplatform.${location}.rep.googleapis.com`;
	return `${location}-aiplatform.googleapis.com`;
}

function getVertexUrl(link: ChainLink, environment: Environment): string | undefined {
	const { project, location } = findVertexProject(link, environment);
	if (link.apiKey === undefined && environment.GOOGLE_VERTEX_API_KEY !== undefined)
		return 'https://aiplatform.googleapis.com/v1/publishers/google';
	if (project === undefined || location === undefined)
		return link.apiKey === undefined ? undefined : 'https://aiplatform.googleapis.com/v1/publishers/google';
	return `https://${getVertexHost(location)}/v1beta1/projects/${project}/locations/${location}/publishers/google`;
}

const openai = createFixedProvider('https://api.openai.com/v1', 'OPENAI_API_KEY');

/** The defaults of each provider. Variables of the providers' libraries are not used: they may send keys to the wrong host. */
const providerDefaults: Readonly<Record<RemoteProvider, ProviderDefaults>> = {
	anthropic: createFixedProvider('https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY'),
	openai,
	'openai-compact': openai,
	google: createFixedProvider(
		'https://generativelanguage.googleapis.com/v1beta',
		'GOOGLE_GENERATIVE_AI_API_KEY',
		'GEMINI_API_KEY',
	),
	mistral: createFixedProvider('https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
	'openai-compatible': {
		keyVariables: [],
		baseURL: () => undefined,
		isOwn: () => false,
		missingText: 'baseURL',
	},
	azure: {
		keyVariables: ['AZURE_API_KEY'],
		missingText: 'resourceName',
		baseURL(link, environment) {
			const resource = findAzureResource(link, environment);
			return resource && `https://${resource}.openai.azure.com/openai`;
		},
		isOwn: ({ host }, link, environment) =>
			host === `${findAzureResource(link, environment)?.toLowerCase()}.openai.azure.com`,
	},
	vertex: {
		keyVariables: ['GOOGLE_VERTEX_API_KEY'],
		missingText: 'project and location',
		baseURL: getVertexUrl,
		isOwn: ({ host }) => /^(?:[a-z0-9-]+-)?aiplatform(?:\.(?:eu|us)\.rep)?\.googleapis\.com$/.test(host),
	},
	bedrock: {
		keyVariables: ['AWS_BEARER_TOKEN_BEDROCK'],
		missingText: 'region',
		baseURL(link, environment) {
			const region = findRegion(link, environment);
			return region && `https://bedrock-runtime.${region}.amazonaws.com`;
		},
		isOwn: ({ host }) => /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(host),
	},
};

/** Returns the key that a link states; throws if the link names a variable that is not set. */
function readKeyOfLink({ apiKey }: ChainLink, environment: Environment): string | undefined {
	if (apiKey === undefined || typeof apiKey === 'string') return apiKey;
	const value = environment[apiKey.env];
	if (!value) throw new Error(`the variable ${apiKey.env}, which should contain its key, is not set`);
	return value;
}

function readAwsKeys(environment: Environment): AwsKeys | undefined {
	const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
	if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
	return {
		accessKeyId: AWS_ACCESS_KEY_ID,
		secretAccessKey: AWS_SECRET_ACCESS_KEY,
		...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
	};
}

/**
 * Returns the address and credentials for a link. Throws if a part is missing.
 *
 * A key that the link states may be sent to any address of the link. A key from one of the provider's usual variables, or the
 * machine's account, may be sent only to the provider's own host.
 */
export function findProviderAccess(
	link: ChainLink & { provider: RemoteProvider },
	environment: Environment,
): ProviderAccess {
	const { keyVariables, baseURL: addressOf, isOwn, missingText } = providerDefaults[link.provider];
	const baseURL = link.baseURL ?? addressOf(link, environment);
	if (baseURL === undefined) throw new Error(`${link.provider} needs ${missingText}`);
	const linkKey = readKeyOfLink(link, environment);
	if (linkKey !== undefined) return { baseURL, apiKey: linkKey, usesGoogleAccount: false };
	if (!isOwn(new URL(baseURL), link, environment)) return { baseURL, usesGoogleAccount: false };
	const environmentKey = keyVariables.map((name) => environment[name]).find((value) => value);
	if (environmentKey !== undefined) return { baseURL, apiKey: environmentKey, usesGoogleAccount: false };
	const awsKeys = link.provider === 'bedrock' ? readAwsKeys(environment) : undefined;
	if (awsKeys) return { baseURL, awsKeys, usesGoogleAccount: false };
	if (link.provider === 'vertex') return { baseURL, usesGoogleAccount: true };
	throw new Error(`no key: neither the entry nor ${keyVariables.join(' or ')} contains one`);
}

/** Returns the region for signing requests of a `bedrock` link. */
export function requireAwsRegion(link: ChainLink, environment: Environment): string {
	return findRegion(link, environment) ?? 'us-east-1';
}

/** Returns the secrets of a chain entry, which must never be shown: keys and values of headers. */
export function listSecrets({ headers }: ChainLink, { apiKey, awsKeys }: ProviderAccess): string[] {
	const values = [apiKey, awsKeys?.secretAccessKey, awsKeys?.sessionToken, ...Object.values(headers ?? {})];
	return values.filter((text) => text !== undefined).filter((text) => text.length >= 6);
}
