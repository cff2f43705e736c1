/** Maps the names that clients use for a provider to one name. */

const providerAliases: Readonly<Record<string, string>> = {
	claude: 'anthropic',
	chatgpt: 'openai',
	codex: 'openai',
	openaicodex: 'openai',
	openairesponses: 'openai',
	google: 'google-ai',
	googleai: 'google-ai',
	googleaistudio: 'google-ai',
	aistudio: 'google-ai',
	gemini: 'google-ai',
	googlegemini: 'google-ai',
	geminicli: 'google-ai',
	googlegenerativeai: 'google-ai',
	googlegenai: 'google-ai',
	vertexai: 'vertex',
	googlevertex: 'vertex',
	googlevertexai: 'vertex',
	googlevertexanthropic: 'vertex',
	vertexanthropic: 'vertex',
	vertexaianthropic: 'vertex',
	awsbedrock: 'bedrock',
	amazonbedrock: 'bedrock',
	bedrockconverse: 'bedrock',
	amazon: 'bedrock',
	aws: 'bedrock',
	azureopenai: 'azure',
	azureai: 'azure',
	azurecognitiveservices: 'azure',
	microsoft: 'azure',
	mistralai: 'mistral',
	codestral: 'mistral',
	copilot: 'copilot',
	githubcopilot: 'copilot',
	litellmproxy: 'litellm',
	hf: 'huggingface',
	awssagemaker: 'sagemaker',
	amazonsagemaker: 'sagemaker',
	grok: 'xai',
	xaigrok: 'xai',
	moonshotai: 'moonshot',
	kimi: 'moonshot',
	zhipu: 'zai',
	zhipuai: 'zai',
	glm: 'zai',
	alibaba: 'qwen',
	alibabacloud: 'qwen',
	dashscope: 'qwen',
	metallama: 'meta',
	llama: 'meta',
};

/**
 * Returns the canonical spelling of a provider: `google`, `Google-AI` and `googleAiStudio` are all `google-ai`. An
 * unknown name is returned in lower case.
 */
export function canonicalizeProvider(provider: string | undefined): string {
	const lower = (provider ?? '').trim().toLowerCase();
	const plainName = lower.replace(/[^a-z0-9]/g, '');
	return Object.hasOwn(providerAliases, plainName) ? providerAliases[plainName]! : lower;
}
