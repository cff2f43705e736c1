/** The models that are asked for summaries. */

/**
 * Who writes a summary: `client`, the client's own model; `openai-compact`, OpenAI's compaction endpoint;
 * `extractive`, no model: the summary quotes the conversation. Any other value: a model of that provider.
 */
export type SummaryProvider =
	| 'client'
	| 'anthropic'
	| 'openai'
	| 'azure'
	| 'google'
	| 'vertex'
	| 'bedrock'
	| 'mistral'
	| 'openai-compatible'
	| 'openai-compact'
	| 'extractive';

/** An API key that is read from a variable of the client's environment. */
export interface KeyVariable {
	/**
	 * Name of the variable.
	 * @minLength 1
	 */
	env: string;
}

/**
 * One model that may be asked for a summary.
 * @rule link
 */
export interface ChainLink {
	/** The model's provider. */
	provider: SummaryProvider;
	/**
	 * The model's id, or the name of its deployment; `client` and `extractive` have none.
	 * @minLength 1
	 */
	model?: string;
	/**
	 * Base address of requests; by default the provider's own. Plain http is allowed only on this machine.
	 * @rule address
	 */
	baseURL?: string;
	/**
	 * The API key; by default from the provider's usual variable, and then sent only to the provider's own host.
	 * @minLength 1
	 */
	apiKey?: string | KeyVariable;
	/** Headers of each request. */
	headers?: Readonly<Record<string, string>>;
	/**
	 * For `azure`: name of the resource.
	 * @rule resource
	 */
	resourceName?: string;
	/**
	 * For `azure`: version of the API.
	 * @minLength 1
	 */
	apiVersion?: string;
	/**
	 * For `vertex`: id of the project.
	 * @minLength 1
	 */
	project?: string;
	/**
	 * For `vertex`: the location.
	 * @rule resource
	 */
	location?: string;
	/**
	 * For `bedrock`: the region.
	 * @rule resource
	 */
	region?: string;
	/** Whether to stream the answer; by default true. */
	stream?: boolean;
	/**
	 * Timeout of one attempt in milliseconds; by default 60 000.
	 * @asType integer
	 * @minimum 1
	 */
	timeoutMs?: number;
	/**
	 * Maximum number of retries after an error that another attempt may avoid; by default 1.
	 * @asType integer
	 * @minimum 0
	 */
	maxRetries?: number;
}
