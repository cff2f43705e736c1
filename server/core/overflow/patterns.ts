/**
 * What the providers say, as data. In a form, `{actual}`, `{limit}`, `{input}`, `{output}` and `{window}` stand
 * for a number of tokens; the rest is a regular expression without unbounded repetition, so that a search is
 * linear. Forms that give numbers stand before those that do not.
 */
export interface OverflowForm {
	/** Who words it so; null where several do. */
	provider: string | null;
	form: string;
	/** Also said of other limits: only believed where nothing in the error speaks of a rate. */
	isLoose?: true;
	/** Said of nothing else: believed whatever else the error speaks of. */
	isCertain?: true;
}

/** The request does not fit the model's context window. */
export const overflowForms: readonly OverflowForm[] = [
	{ provider: 'anthropic', form: 'prompt is too long: {actual} tokens? > {limit} maximum' },
	{
		provider: 'anthropic',
		form: 'input length and .?max_tokens.? exceed context limit(?:: | \\(i\\.e\\.? ?){input} \\+ {output} > {window}',
	},
	{ provider: 'fireworks', form: 'prompt is too long: {actual}, model maximum context length: {limit}' },
	{
		provider: 'openrouter',
		form: "endpoint's maximum context length is {limit} tokens.{0,30} you requested (?:about )?{actual} tokens",
	},
	{
		provider: 'vllm',
		form: 'maximum context length is {window} tokens.{0,30} you requested {output} output tokens and your prompt contains (?:at least )?{input} input tokens',
	},
	{
		provider: 'vllm',
		form: 'maximum context length is {window} tokens and your request has {input} input tokens \\({output} >',
	},
	{
		provider: 'vllm',
		form: 'passed {input} input tokens and requested {output} output tokens.{0,40}context length is only {window} tokens',
	},
	{ provider: 'vllm', form: 'prompt length (?:of )?{actual}\\)? exceeds the max_model_len (?:of )?{limit}' },
	{
		provider: 'bedrock',
		form: 'max input tokens: {limit}, request input token count: {actual}',
	},
	{
		provider: null,
		form: 'input too large \\({actual} tokens\\) for model context window \\({limit} tokens\\)',
	},
	{
		provider: 'vllm',
		form: 'maximum context length is {limit} tokens.{0,30} your request has {actual} input tokens',
	},
	{
		provider: 'openai',
		form: 'maximum context length is {limit} tokens.{0,30} (?:your )?(?:messages|input|prompt|request) (?:resulted in|contains|has) (?:about )?{actual} tokens',
	},
	{
		provider: 'openai',
		form: 'maximum context length is {limit} tokens.{0,30} (?:you )?requested (?:about )?{actual} tokens',
	},
	{ provider: 'openai', form: 'configured limit of {limit} tokens.{0,40} resulted in {actual} tokens' },
	{
		provider: 'google',
		form: 'input token count (?:of )?\\(?{actual}\\)? exceeds the maximum number of tokens allowed[^\\d\\n]{0,4}{limit}',
		isCertain: true,
	},
	{
		provider: 'google',
		form: 'input token count (?:of )?\\(?{actual}\\)? exceeds the maximum',
		isCertain: true,
	},
	{ provider: 'google', form: 'exceeds the maximum number of tokens allowed[^\\d\\n]{0,4}{limit}' },
	{ provider: 'xai', form: 'maximum prompt length is {limit} but the request contains {actual} tokens' },
	{ provider: 'github-copilot', form: 'prompt token count of {actual} exceeds the limit of {limit}' },
	{ provider: 'moonshot', form: 'exceeded model token limit: {limit} \\(requested: {actual}\\)' },
	{
		provider: 'mistral',
		form: '{actual} tokens.{0,60} too large for model with {limit} maximum context length',
	},
	{ provider: 'mistral', form: 'too large for model with {limit} maximum context length' },
	{
		provider: 'llama.cpp',
		form: '(?:request|prompt) \\({actual} tokens\\) exceeds (?:the )?available context size \\({limit} tokens\\)',
	},
	{ provider: null, form: 'prompt has {actual} tokens.{0,20} context size is {limit}' },
	{ provider: null, form: 'context window is {limit} tokens.{0,20} you requested {actual} tokens' },
	{
		provider: null,
		form: 'context window exceeded: requested {actual} (?:tokens )?(?:>|but).{0,20} {limit}',
	},
	{ provider: null, form: 'context window exceeded: requested {actual}' },
	{ provider: null, form: "input length (?:of )?\\(?{actual}\\)?(?: tokens)? exceeds the model'?s? limit" },
	{ provider: 'cerebras', form: 'current length is {actual} while limit is {limit}' },
	{
		provider: 'together',
		form: "input \\({actual} tokens\\) is longer than the model'?s context length \\({limit} tokens\\)",
	},
	{
		provider: 'together',
		form: '.?inputs.? tokens \\+ .?max_new_tokens.? must be <= {window}\\. given: {input} .?inputs.? tokens and {output} .?max_new_tokens',
	},
	{ provider: 'cohere', form: 'cannot exceed {limit} - received {actual}' },
	{ provider: 'cohere', form: "total tokens exceeds the model'?s max of {limit}" },
	{
		provider: 'vllm',
		form: 'prompt \\(length {actual}\\) is longer than the maximum model length of {limit}',
	},
	{ provider: 'vllm', form: 'input prompt \\({actual} tokens\\) is too long and exceeds limit of {limit}' },
	{
		provider: 'lmstudio',
		form: 'keep the first {actual} tokens when .{0,20}overflows.{0,60}context length of only {limit} tokens',
	},
	{
		provider: 'lmstudio',
		form: 'from the initial prompt \\(?{actual}\\)? is greater than the context length \\(?{limit}',
	},
	{ provider: 'github-models', form: 'request body too large for .{1,60} model\\. max size: {limit} tokens' },
	{ provider: 'alibaba', form: 'range of input length should be \\[1, ?{limit}\\]' },
	{
		provider: null,
		form: 'input (?:length )?\\(?{actual}(?: tokens)?\\)? exceeds (?:the )?maximum allowed input length of {limit}',
	},
	{
		provider: null,
		form: "input (?:length )?\\(?{actual}(?: tokens)?\\)? exceeds (?:the )?(?:model'?s )?maximum context length (?:of )?\\(?{limit}",
	},
	{ provider: null, form: "exceeds (?:the )?(?:model'?s )?maximum context length (?:of )?\\(?{limit}" },
	{ provider: null, form: 'exceeds (?:the )?max(?:imum)? context size (?:of )?\\(?{limit}' },
	{ provider: null, form: 'maximum allowed input length of {limit} tokens' },
	{ provider: 'minimax', form: 'context window exceeds limit' },
	{ provider: 'anthropic', form: 'prompt is too long' },
	{ provider: 'anthropic', form: 'request exceeds the maximum size' },
	{ provider: 'openrouter', form: "endpoint's maximum context length is {limit} tokens" },
	{ provider: 'openai', form: "this model's maximum context length is {limit} tokens" },
	{ provider: 'openai', form: "exceeds (?:the )?(?:model(?:'?s)? )?context window" },
	{
		provider: 'google',
		form: 'input token count.{0,40}exceeds the maximum|exceeds? (?:the )?max(?:imum)? number of (?:input )?tokens',
	},
	{
		provider: 'google',
		form: 'request payload size exceeds|exceeds the input token limit|input token limit exceeded',
	},
	{ provider: 'bedrock', form: 'input is too long for requested model' },
	{
		provider: 'bedrock',
		form: "number of input tokens exceeds|exceeds the max(?:imum)? input token|exceeds the model's maximum",
	},
	{ provider: 'llama.cpp', form: 'exceeds (?:the )?available context size|context size has been exceeded' },
	{ provider: 'lmstudio', form: 'from the initial prompt is greater than the context length' },
	{ provider: 'moonshot', form: 'exceeded model token limit' },
	{
		provider: 'ollama',
		form: 'prompt too long; exceeded (?:max )?context length|input length exceeds (?:the )?context length',
	},
	{ provider: 'zai', form: 'prompt exceeds max(?:imum)? length' },
	{ provider: 'groq', form: 'reduce the length of the messages or completion' },
	{ provider: 'openai', form: 'please reduce the length of (?:the|your) (?:messages|input|prompt)' },
	{ provider: null, form: 'maximum context length is {limit}' },
	{
		provider: null,
		form: 'max(?:imum)? context length (?:has been |is |was )?exceeded|context (?:length|window|limit) (?:has been |is |was )?exceeded',
	},
	{
		provider: null,
		form: "exceed(?:s|ed)? (?:the )?(?:max(?:imum)? )?context (?:length|window|limit|size|budget)|exceeds? the model's context",
	},
	{ provider: null, form: "ran out of room in the (?:model'?s )?context window" },
	{
		provider: null,
		form: '(?:prompt|input) (?:is )?too (?:long|large|big) for (?:the|this) model',
	},
	{ provider: null, form: 'prompt (?:input )?(?:has )?reached the (?:configured )?(?:token|context) limit' },
	{ provider: null, form: 'max(?:imum)? input (?:length |size )?exceeded' },
	{ provider: null, form: '^(?:error: )?maximum context length\\W{0,3}$' },
	{
		provider: 'openai',
		form: '^string_above_max_length$|string too long\\. expected a string with maximum length \\d{6,9}',
	},
	{
		provider: null,
		form: '上下文(?:长度|窗口|内容)?已?(?:过长|超长|超限|超[出过](?!范围|作用域))|超[出过]了?(?:模型)?的?最大上下文|请压缩上下文',
	},
	{
		provider: null,
		form: '(?:输入|提示词?|prompt) ?(?:tokens?)?(?:内容|长度|总?数量?|总长度)?(?:过长|超长|超[出过]).{0,12}(?:模型|上下文|tokens?)|prompt ?(?:过长|超长)',
	},
	{ provider: null, form: 'prompt (?:is )?too long', isLoose: true },
	{
		provider: null,
		form: '(?<!(?:image|audio|video|file)[ _-]|[\'"`] )(?:input|content) is too long(?! for .{0,40}\\b(?:field|parameter|argument|property|title|name)\\b|.{0,40}\\bchar)',
		isLoose: true,
	},
	{ provider: null, form: '^(?:error: )?context overflow\\b', isLoose: true },
	{ provider: null, form: 'too many (?:input |prompt )?tokens|token limit exceeded', isLoose: true },
];

/** Codes, error types and stop reasons that mean an overflow by themselves, with who uses them. */
export const overflowCodes: ReadonlyMap<string, string | null> = new Map([
	['context_length_exceeded', 'openai'],
	['context_window_exceeded', null],
	['model_context_window_exceeded', 'zai'],
	['content_length_exceeded', 'azure'],
	['request_too_large', 'anthropic'],
	['prompt_too_long', null],
	['exceed_context_size_error', 'llama.cpp'],
	['model_max_prompt_tokens_exceeded', 'github-copilot'],
	['tokens_limit_reached', 'github-models'],
	['contextwindowexceedederror', null],
	['contextoverflowerror', null],
	['contextwindowoverflowexception', null],
]);

/** A code inside a text: "400 invalid_request: context_length_exceeded". */
export const codeInText = new RegExp(`\\b(${[...overflowCodes.keys()].join('|')})\\b`, 'i');

/** What sounds like an overflow but is another limit; an error's part that says so is none. */
export const exclusions: readonly { why: 'rate' | 'account' | 'request'; pattern: RegExp }[] = [
	{ why: 'account', pattern: /insufficient_quota|billing|\bcredits?\b|can only afford|payment required/i },
	{
		why: 'rate',
		pattern:
			/\brate[ _-]?limit|too many requests|(?:tokens|requests) per (?:second|minute|min|hour|day)\b|\b[TR]P[MD]\b/i,
	},
	{
		why: 'rate',
		pattern: /throttl|\bquota\b|RESOURCE_EXHAUSTED|please wait before|service unavailable|overloaded/i,
	},
	{ why: 'request', pattern: /context window.{0,20}too small|minimum (?:context window )?is \d/i },
	{
		why: 'request',
		pattern: /maximum allowed number of output tokens|supports at most [\d,]{1,12} completion tokens/i,
	},
	{
		why: 'request',
		pattern:
			/(?<!\+ |\+ `)\bmax_?(?:output_?|completion_?|new_?)?tokens\b.{0,3} (?:must|should|cannot|has to|value of)/i,
	},
	{
		why: 'request',
		pattern:
			/\bmax_?(?:output_?|completion_?|new_?)?tokens\b.{0,30} exceeds? (?:the )?max(?:imum)? number of/i,
	},
	{ why: 'account', pattern: /余额不足|欠费/ },
	{ why: 'rate', pattern: /限流|频繁|速率限制|配额/ },
	{ why: 'request', pattern: /schema.{0,60}(?:levels?|depth|nest)|nesting (?:depth|level)/i },
];

/** Who is speaking, where the wording of the limit itself does not tell. */
export const providerHints: readonly { provider: string; pattern: RegExp }[] = [
	{ provider: 'openrouter', pattern: /openrouter/i },
	{ provider: 'azure', pattern: /azure/i },
	{
		provider: 'bedrock',
		pattern: /bedrock|ThrottlingException|ModelStreamErrorException|ValidationException/,
	},
	{ provider: 'anthropic', pattern: /anthropic|claude/i },
	{ provider: 'google', pattern: /generativelanguage|vertex|gemini|RESOURCE_EXHAUSTED|googleapis/i },
	{ provider: 'mistral', pattern: /mistral/i },
	{ provider: 'groq', pattern: /\bgroq\b/i },
	{ provider: 'cerebras', pattern: /cerebras/i },
	{ provider: 'cohere', pattern: /\bcohere\b/i },
	{ provider: 'ollama', pattern: /\bollama\b/i },
	{ provider: 'deepseek', pattern: /deepseek/i },
	{ provider: 'openai', pattern: /openai|\bgpt-\d/i },
];
