import { describe, expect, it } from 'vitest';
import { classifyError } from '../../../server/core/overflow/classify.ts';
import { overflowCodes, overflowExclusions, overflowForms } from '../../../server/core/overflow/patterns.ts';
import { compileForm } from '../../../server/core/overflow/tokens.ts';

/** Message, provider, actual tokens, limit in tokens. */
const overflowErrors: [string, string | null, number?, number?][] = [
	['prompt is too long: 213462 tokens > 200000 maximum', 'anthropic', 213462, 200000],
	[
		'400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}',
		'anthropic',
		213462,
		200000,
	],
	[
		'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again',
		'anthropic',
		188240,
		178667,
	],
	['413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}', 'anthropic'],
	['Your input exceeds the context window of this model. Please adjust your input and try again.', 'openai'],
	[
		"This model's maximum context length is 128000 tokens. However, your messages resulted in 135123 tokens. Please reduce the length of the messages.",
		'openai',
		135123,
		128000,
	],
	[
		"This model's maximum context length is 4097 tokens, however you requested 4497 tokens (497 in your prompt; 4000 for the completion). Please reduce your prompt; or completion length.",
		'openai',
		4497,
		4097,
	],
	[
		"This endpoint's maximum context length is 1,048,576 tokens. However, you requested about 1,293,741 tokens (1227853 of text input, 353 of tool input, 65535 in the output). Please reduce the length of either one.",
		'openrouter',
		1293741,
		1048576,
	],
	[
		'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
		'google',
		1196265,
		1048575,
	],
	[
		'The input token count exceeds the maximum number of tokens allowed 1048576.',
		'google',
		undefined,
		1048576,
	],
	['Request payload size exceeds the limit: 20971520 bytes.', 'google'],
	['maximum number of tokens', 'mistral'],
	['ValidationException: too many token in input', 'bedrock'],
	['请求长度超过模型上下文限制', null],
	['Total tokens of image and text exceed max message tokens', null],
	['Input tokens exceed the configured limit of 272000 tokens.', 'openai', undefined, 272000],
	['Input is too long for requested model.', 'bedrock'],
	['ValidationException: The input is too long', 'bedrock'],
	['ValidationException: Input exceeds the max input token limit', 'bedrock'],
	["prompt of 9000 exceeds the model's maximum", 'bedrock'],
	[
		"This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
		'xai',
		537812,
		131072,
	],
	['Please reduce the length of the messages or completion.', 'groq'],
	[
		'Please reduce the length of the messages or completion. Current length is 100000 while limit is 65536',
		'cerebras',
		100000,
		65536,
	],
	['400 status code (no body)', 'cerebras'],
	['Error: 413 status code (no body)', 'cerebras'],
	['the request exceeds the available context size, try increasing it', 'llama.cpp'],
	[
		'request (5210 tokens) exceeds the available context size (4096 tokens), try increasing it',
		'llama.cpp',
		5210,
		4096,
	],
	['The number of tokens to keep from the initial prompt is greater than the context length', 'lmstudio'],
	[
		'Trying to keep the first 9105 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
		'lmstudio',
		9105,
		4096,
	],
	['prompt token count of 137201 exceeds the limit of 128000', 'github-copilot', 137201, 128000],
	['invalid params, context window exceeds limit (2013)', 'minimax'],
	['invalid params, context window exceeds limit', 'minimax'],
	[
		'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
		'moonshot',
		291351,
		262144,
	],
	[
		'Prompt contains 145000 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
		'mistral',
		145000,
		131072,
	],
	['prompt too long; exceeded max context length by 100918 tokens', 'ollama'],
	['prompt too long; exceeded context length', 'ollama'],
	['ollama: context length exceeded for llama3', 'ollama'],
	[
		'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300171 tokens.',
		'openai',
		300171,
		272000,
	],
	[
		'too many tokens: the prompt cannot exceed 4081 - received 5000. Try a shorter prompt',
		'cohere',
		5000,
		4081,
	],
	[
		'The number of tokens to keep from the initial prompt (9105) is greater than the context length (4096)',
		'lmstudio',
		9105,
		4096,
	],
	["This endpoint's maximum context length is 4096 tokens.", 'openrouter', undefined, 4096],
	["This model's maximum context length is 4096 tokens.", 'openai', undefined, 4096],
	['The maximum context length is 4096.', null, undefined, 4096],
	['This exceeds the maximum context length of 4,096 tokens', null, undefined, 4096],
	['exceeds our maximum allowed input length of 4096 tokens', null, undefined, 4096],
	['draft too large for model with 131072 maximum context length', 'mistral', undefined, 131072],
	['Your request exceeded model token limit', 'moonshot'],
	['The input token count exceeds the maximum', 'google'],
	['Please reduce the length of your prompt.', 'openai'],
	['Request size exceeds the context length', null],
	['Input prompt (40000 tokens) is too long and exceeds limit of 32768', 'vllm', 40000, 32768],
	['Prompt exceeds max length', 'zai'],
	[
		"You passed 40000 input tokens and requested 100 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 32668 tokens.",
		'vllm',
		40000,
		32668,
	],
	[
		'The engine prompt length 1327246 exceeds the max_model_len 32768. Please reduce prompt.',
		'vllm',
		1327246,
		32768,
	],
	['Too many input tokens. Max input tokens: 8192, request input token count: 9001', 'bedrock', 9001, 8192],
	['Input too large (70000 tokens) for model context window (65536 tokens)', null, 70000, 65536],
	['Request size exceeds model context window', 'openai'],
	['Context overflow: prompt too large for the model', null],
	['content is too long', null],
	['413 Request Entity Too Large', null],
	['Unhandled stop reason: model_context_window_exceeded', 'zai'],
	[
		"This model's maximum context length is 262144 tokens. However, you requested 1000 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 263145 tokens.",
		'vllm',
		262145,
		261144,
	],
	[
		"'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens (2000 > 4096 - 2104).",
		'vllm',
		2104,
		2096,
	],
	[
		"This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens. Please reduce the length of the input messages.",
		'vllm',
		40000,
		32768,
	],
	[
		'The decoder prompt (length 33000) is longer than the maximum model length of 32768. Make sure that it fits.',
		'vllm',
		33000,
		32768,
	],
	[
		"The input (140000 tokens) is longer than the model's context length (131072 tokens).",
		'together',
		140000,
		131072,
	],
	[
		'`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens and 512 `max_new_tokens`',
		'together',
		9000,
		7681,
	],
	['Input length 131393 exceeds the maximum allowed input length of 131040 tokens.', null, 131393, 131040],
	["Input length (265330) exceeds model's maximum context length (262144).", null, 265330, 262144],
	['The prompt is too long: 140000, model maximum context length: 131071', 'fireworks', 140000, 131071],
	["total tokens exceeds the model's max of 4096", 'cohere', undefined, 4096],
	['Range of input length should be [1, 30720]', 'alibaba', undefined, 30720],
	['Request body too large for gpt-4o model. Max size: 8000 tokens.', 'github-models', undefined, 8000],
	['context_length_exceeded', 'openai'],
	['400 bad request: context_length_exceeded', 'openai'],
	['model_context_window_exceeded', 'zai'],
	['request_too_large', 'anthropic'],
	['token limit exceeded', null],
	['too many tokens', null],
	[
		'input length and max_tokens exceed context limit (i.e 156321 + 48384 > 200000)',
		'anthropic',
		156321,
		151616,
	],
	['LLM request rejected: max_tokens would exceed context window', null],
	['input length would exceed context budget for this model', null],
	['input length 14295 tokens exceeds the model limit', null, 14295],
	['INVALID_ARGUMENT: input exceeds maximum number of tokens', 'google'],
	['400 maximum number of tokens exceeded', 'mistral'],
	['The maximum number of tokens for this model is 32768', 'mistral'],
	['RESOURCE_EXHAUSTED: The input token count (1200000) exceeds the maximum', 'google', 1200000],
	[
		'429 RESOURCE_EXHAUSTED: The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
		'google',
		1200000,
		1048576,
	],
	['request (131080 tokens) exceeds available context size (131072 tokens)', 'llama.cpp', 131080, 131072],
	['Context size has been exceeded.', 'llama.cpp'],
	['prompt exceeds the available context size', 'llama.cpp'],
	['400 Prompt has 256468 tokens, but the configured context size is 256000 tokens', null, 256468, 256000],
	['Model context window is 128k tokens, you requested 256k tokens', null, 256000, 128000],
	['Context window exceeded: requested 12000 tokens', null, 12000],
	['Context window exceeded: requested 130000 tokens but the limit is 128000.', null, 130000, 128000],
	['Context window exceeded: requested 130000 > max 128000', null, 130000, 128000],
	['This request exceeds the maximum context size of 131072 tokens', null, undefined, 131072],
	['exceeds the maximum context size', null],
	["The prompt's tokens exceed the model's context", null],
	["The agent ran out of room in the model's context window. Clear earlier history.", null],
	['Prompt too large for this model', null],
	['input is too long for model some-model-7b', null],
	['Prompt input reached the configured token limit', null],
	['Maximum input exceeded for this model.', null],
	['Maximum context length', null],
	['string_above_max_length', 'openai'],
	[
		"Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.",
		'openai',
	],
	['错误：上下文过长，请减少输入', null],
	['上下文超出限制', null],
	['上下文长度超出模型最大限制', null],
	['超出最大上下文长度', null],
	['请压缩上下文后重试', null],
	['输入内容过长，超过模型最大上下文长度', null],
	['输入token数量超出模型限制', null],
	['{"error":{"code":"1261","message":"Prompt 超长"}}', null],
];

/** Message, and whether the same request may succeed later. */
const otherErrors: [string, boolean][] = [
	['429 Too many tokens, please wait before trying again.', true],
	['ThrottlingException: Too many tokens, please wait before trying again.', true],
	['Throttling error: Too many tokens', true],
	['Service unavailable: too many tokens in flight', true],
	[
		'429 {"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}',
		true,
	],
	['rate limit: request exceeds tokens per minute limit', true],
	['Rate limit reached, this request exceeds the limit of 30000 tokens per min (TPM)', true],
	[
		'429 Request too large for gpt-4o in organization org on tokens per min (TPM): Limit 30000, Requested 38000.',
		false,
	],
	[
		'413 Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7500, please reduce your message size',
		false,
	],
	['You exceeded your current quota: insufficient_quota', false],
	['402 You requested up to 64000 tokens, but can only afford 2000', false],
	['context window too small, minimum is 16000', false],
	['Model context window too small (8000 tokens). Minimum is 16000.', false],
	['max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude', false],
	['max_tokens is too large: 20000. This model supports at most 16384 completion tokens', false],
	[
		'`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window`',
		false,
	],
	['input length and `max_tokens` exceed context limit: 100 + 300000 > 200000', false],
	['tools.0.input_schema: input schema over 64 levels deep', false],
	['image exceeds 5242880 bytes maximum: 6000000 bytes', false],
	['ValidationException: malformed input request, token is not valid', false],
	['401 invalid api key', false],
	['529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', true],
	['500 Internal Server Error', true],
	['fetch failed', true],
	['image input is too long for this field', false],
	['input is too long for this field', false],
	['content is too long for the title field', false],
	["The 'name' input is too long: 200 characters, maximum is 64", false],
	['messages.3: image content is too long', false],
	['tool output exceeds maximum size', false],
	['model output reached the configured token limit', false],
	['max_tokens (9000) exceeds the maximum number of tokens of 8192 for this model', false],
	[
		"Invalid 'messages[8].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 53 instead.",
		false,
	],
	['RESOURCE_EXHAUSTED: Quota exceeded for metric: free_tier_input_token_count, limit: 250000', true],
	['request reached organization TPD rate limit, current: 1506556, limit: 1500000', true],
	['A maximum context length of 4096 is supported; your request has 200 tokens', false],
	['Processing in context of search results', false],
	['Additional context: memory allocation failed', false],
	['请求过于频繁，输入tokens超过模型速率限制', false],
	['余额不足，无法处理超出最大上下文的请求', false],
	['变量上下文超出范围', false],
	['标题过长', false],
	['', false],
	['The tests pass now; the request is small and the context is fine.', false],
];

describe('wordings of providers', () => {
	it('the wordings of providers have an example for every form, code and exclusion', () => {
		const without = (patterns: readonly RegExp[], messages: string[]) =>
			patterns.filter((pattern) => !messages.some((message) => pattern.test(message)));
		const overflows = overflowErrors.map(([message]) => message);
		const others = otherErrors.map(([message]) => message);
		const forms = overflowForms.map(({ form }) => compileForm(form));
		expect(without(forms, overflows)).toEqual([]);
		expect(without(overflowExclusions, others)).toEqual([]);
		for (const code of overflowCodes.keys()) expect(classifyError({ code }).isContextOverflow).toBe(true);
	});

	it.each(overflowErrors)("a provider's wording is an overflow: %s", (message, provider, actual, limit) => {
		const found = classifyError(message);
		expect(found).toMatchObject({ isContextOverflow: true, provider, retryable: false });
		expect([found.actualTokens, found.limitTokens]).toEqual([actual, limit]);
	});

	it.each(otherErrors)("a provider's wording is no overflow: %s", (message, retryable) => {
		expect(classifyError(message)).toMatchObject({ isContextOverflow: false, retryable });
	});

	it('the output reserve that an error states is returned', () => {
		const said = overflowErrors
			.filter(([message]) => /you requested.*(?:completion|output)/.test(message))
			.map(([message]) => message);
		expect(said.map((message) => classifyError(message).outputTokens)).toEqual([4000, 65535, 1000]);
	});

	it('an unknown wording is accepted only with a figure beyond its limit or the window', () => {
		const worded = 'Sorry, the conversation of 70,000 tokens goes beyond our capacity of 65,536.';
		expect(classifyError(worded)).toMatchObject({
			isContextOverflow: true,
			actualTokens: 70000,
			limitTokens: 65536,
		});
		expect(classifyError('The conversation is too big for this model.').isContextOverflow).toBe(false);
		const bare = 'Your prompt of 70000 tokens is more than we can take.';
		expect(classifyError(bare).isContextOverflow).toBe(false);
		expect(classifyError(bare, 65536)).toMatchObject({
			isContextOverflow: true,
			actualTokens: 70000,
			limitTokens: 65536,
		});
		expect(classifyError(bare, 128000).isContextOverflow).toBe(false);
	});
});
