/** Where a provider's requests go, and with which key. */

import type { ChainLink, SummaryProvider } from '../../protocol/settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A provider that is asked over the network. */
export type RemoteProvider = Exclude<SummaryProvider, 'client' | 'extractive'>;

export interface AwsKeys {
	accessKeyId: string;
	secretAccessKey: string;
	sessionToken?: string;
}

/** What one link amounts to in this environment. */
export interface Access {
	/** Never one out of a variable of the provider's own library. */
	baseURL: string;
	/** Absent where none may be sent. */
	apiKey?: string;
	/** Of `bedrock`, where it is no `apiKey`. */
	awsKeys?: AwsKeys;
	/** Whether the machine's own Google account may be used. */
	usesGoogleAccount: boolean;
}

interface Own {
	/** The variables that usually hold its key, the first one that is set counts. */
	keys: readonly string[];
	/** The provider's own address; undefined where something is missing that it is made of. */
	baseURL(link: ChainLink, environment: Environment): string | undefined;
	/** Whether an address is the provider's own, to which a key out of a variable may go. */
	isOwn(url: URL, link: ChainLink, environment: Environment): boolean;
	/** What is missing where there is no address. */
	missing?: string;
}

/** A provider with one address. */
function at(baseURL: string, ...keys: string[]): Own {
	const { host } = new URL(baseURL);
	return { keys, baseURL: () => baseURL, isOwn: (url) => url.host === host };
}

function azureResource({ resourceName }: ChainLink, environment: Environment): string | undefined {
	return resourceName ?? environment.AZURE_RESOURCE_NAME;
}

function regionOf({ region }: ChainLink, environment: Environment): string | undefined {
	return region ?? environment.AWS_REGION ?? environment.AWS_DEFAULT_REGION;
}

/** Where a Vertex project lies. */
export function vertexPlace(
	{ project, location }: ChainLink,
	environment: Environment,
): { project: string | undefined; location: string | undefined } {
	return {
		project: project ?? environment.GOOGLE_VERTEX_PROJECT ?? environment.GOOGLE_CLOUD_PROJECT,
		location: location ?? environment.GOOGLE_VERTEX_LOCATION ?? environment.GOOGLE_CLOUD_LOCATION,
	};
}

function vertexHost(location: string): string {
	if (location === 'global') return 'aiplatform.googleapis.com';
	if (location === 'eu' || location === 'us') return `aiplatform.${location}.rep.googleapis.com`;
	return `${location}-aiplatform.googleapis.com`;
}

function vertexAddress(link: ChainLink, environment: Environment): string | undefined {
	const { project, location } = vertexPlace(link, environment);
	if (link.apiKey === undefined && environment.GOOGLE_VERTEX_API_KEY !== undefined)
		return 'https://aiplatform.googleapis.com/v1/publishers/google';
	if (project === undefined || location === undefined)
		return link.apiKey === undefined ? undefined : 'https://aiplatform.googleapis.com/v1/publishers/google';
	return `https://${vertexHost(location)}/v1beta1/projects/${project}/locations/${location}/publishers/google`;
}

const openai = at('https://api.openai.com/v1', 'OPENAI_API_KEY');

/** What each provider's own library takes by itself, which is not asked here: variables there may lead keys astray. */
const own: Readonly<Record<RemoteProvider, Own>> = {
	anthropic: at('https://api.anthropic.com/v1', 'ANTHROPIC_API_KEY'),
	openai,
	'openai-compact': openai,
	google: at(
		'https://generativelanguage.googleapis.com/v1beta',
		'GOOGLE_GENERATIVE_AI_API_KEY',
		'GEMINI_API_KEY',
	),
	mistral: at('https://api.mistral.ai/v1', 'MISTRAL_API_KEY'),
	'openai-compatible': { keys: [], baseURL: () => undefined, isOwn: () => false, missing: 'baseURL' },
	azure: {
		keys: ['AZURE_API_KEY'],
		missing: 'resourceName',
		baseURL(link, environment) {
			const resource = azureResource(link, environment);
			return resource && `https://${resource}.openai.azure.com/openai`;
		},
		isOwn: ({ host }, link, environment) =>
			host === `${azureResource(link, environment)?.toLowerCase()}.openai.azure.com`,
	},
	vertex: {
		keys: ['GOOGLE_VERTEX_API_KEY'],
		missing: 'project and location',
		baseURL: vertexAddress,
		isOwn: ({ host }) => /^(?:[a-z0-9-]+-)?aiplatform(?:\.(?:eu|us)\.rep)?\.googleapis\.com$/.test(host),
	},
	bedrock: {
		keys: ['AWS_BEARER_TOKEN_BEDROCK'],
		missing: 'region',
		baseURL(link, environment) {
			const region = regionOf(link, environment);
			return region && `https://bedrock-runtime.${region}.amazonaws.com`;
		},
		isOwn: ({ host }) => /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/.test(host),
	},
};

/** The key that a link names itself; fails where it names a variable that is not set. */
function namedKey({ apiKey }: ChainLink, environment: Environment): string | undefined {
	if (apiKey === undefined || typeof apiKey === 'string') return apiKey;
	const value = environment[apiKey.env];
	if (!value) throw new Error(`the variable ${apiKey.env}, which is to hold its key, is not set`);
	return value;
}

function awsKeysOf(environment: Environment): AwsKeys | undefined {
	const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
	if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
	return {
		accessKeyId: AWS_ACCESS_KEY_ID,
		secretAccessKey: AWS_SECRET_ACCESS_KEY,
		...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
	};
}

/**
 * Where a link leads. A key that the link names goes wherever the link leads; one out of a usual variable, or of the
 * machine's own account, to the provider's own host alone. Fails where something is missing.
 */
export function accessOf(link: ChainLink & { provider: RemoteProvider }, environment: Environment): Access {
	const { keys, baseURL: addressOf, isOwn, missing } = own[link.provider];
	const baseURL = link.baseURL ?? addressOf(link, environment);
	if (baseURL === undefined) throw new Error(`${link.provider} needs ${missing}`);
	const named = namedKey(link, environment);
	if (named !== undefined) return { baseURL, apiKey: named, usesGoogleAccount: false };
	if (!isOwn(new URL(baseURL), link, environment)) return { baseURL, usesGoogleAccount: false };
	const usual = keys.map((name) => environment[name]).find((value) => value);
	if (usual !== undefined) return { baseURL, apiKey: usual, usesGoogleAccount: false };
	const awsKeys = link.provider === 'bedrock' ? awsKeysOf(environment) : undefined;
	if (awsKeys) return { baseURL, awsKeys, usesGoogleAccount: false };
	if (link.provider === 'vertex') return { baseURL, usesGoogleAccount: true };
	throw new Error(`no key: neither the entry nor ${keys.join(' or ')} holds one`);
}

/** The region of a link of `bedrock`, of which its requests are signed. */
export function awsRegion(link: ChainLink, environment: Environment): string {
	return regionOf(link, environment) ?? 'us-east-1';
}

/** What of an access must never be shown. */
export function secretsOf({ headers }: ChainLink, { apiKey, awsKeys }: Access): string[] {
	const all = [apiKey, awsKeys?.secretAccessKey, awsKeys?.sessionToken, ...Object.values(headers ?? {})];
	return all.filter((text) => text !== undefined).filter((text) => text.length >= 6);
}
