/**
 * Overflow messages of providers, as data. In a form, `{actual}`, `{limit}`, `{input}`, `{output}` and `{window}`
 * match a number of tokens. The rest is a regular expression without unbounded repetition, so a search is linear.
 * Forms with numbers come before forms without.
 */
export interface OverflowForm {
	/** Provider that uses this wording; null if several do. */
	provider: string | null;
	form: string;
	/** Whether the wording may also mean another limit. Such wording is ignored next to a rate limit. */
	isLoose: boolean;
	/** Whether the wording always means an overflow, whatever else the error says. */
	isCertain: boolean;
}

/** Forms of the message that a request does not fit the model's context window. */
export const overflowForms: readonly OverflowForm[] = String.raw`
anthropic: prompt is too long: {actual} tokens? > {limit} maximum
anthropic: input length and .?max_tokens.? exceed context limit(?:: | \(i\.e\.? ?){input} \+ {output} > {window}
fireworks: prompt is too long: {actual}, model maximum context length: {limit}
openrouter: endpoint's maximum context length is {limit} tokens.{0,30} you requested (?:about )?{actual} tokens
vllm: maximum context length is {window} tokens.{0,30} you requested {output} output tokens and your prompt contains (?:at least )?{input} input tokens
vllm: maximum context length is {window} tokens and your request has {input} input tokens \({output} >
vllm: passed {input} input tokens and requested {output} output tokens.{0,40}context length is only {window} tokens
vllm: prompt length (?:of )?{actual}\)? exceeds the max_model_len (?:of )?{limit}
bedrock: max input tokens: {limit}, request input token count: {actual}
several: input too large \({actual} tokens\) for model context window \({limit} tokens\)
vllm: maximum context length is {limit} tokens.{0,30} your request has {actual} input tokens
openai: maximum context length is {limit} tokens.{0,30} (?:your )?(?:messages|input|prompt|request) (?:resulted in|contains|has) (?:about )?{actual} tokens
openai: maximum context length is {limit} tokens.{0,30} (?:you )?requested (?:about )?{actual} tokens
openai: configured limit of {limit} tokens.{0,40} resulted in {actual} tokens
openai: input tokens exceeds? the configured limit of {limit} tokens
google certain: input token count (?:of )?\(?{actual}\)? exceeds the maximum number of tokens allowed[^\d\n]{0,4}{limit}
google certain: input token count (?:of )?\(?{actual}\)? exceeds the maximum
google: exceeds the maximum number of tokens allowed[^\d\n]{0,4}{limit}
xai: maximum prompt length is {limit} but the request contains {actual} tokens
github-copilot: prompt token count of {actual} exceeds the limit of {limit}
moonshot: exceeded model token limit: {limit} \(requested: {actual}\)
mistral: {actual} tokens.{0,60} too large for model with {limit} maximum context length
mistral: too large for model with {limit} maximum context length
llama.cpp: (?:request|prompt) \({actual} tokens\) exceeds (?:the )?available context size \({limit} tokens\)
several: prompt has {actual} tokens.{0,20} context size is {limit}
several: context window is {limit} tokens.{0,20} you requested {actual} tokens
several: context window exceeded: requested {actual} (?:tokens )?(?:>|but).{0,20} {limit}
several: context window exceeded: requested {actual}
several: input length (?:of )?\(?{actual}\)?(?: tokens)? exceeds the model'?s? limit
cerebras: current length is {actual} while limit is {limit}
together: input \({actual} tokens\) is longer than the model'?s context length \({limit} tokens\)
together: .?inputs.? tokens \+ .?max_new_tokens.? must be <= {window}\. given: {input} .?inputs.? tokens and {output} .?max_new_tokens
cohere: cannot exceed {limit} - received {actual}
cohere: total tokens exceeds the model'?s max of {limit}
vllm: prompt \(length {actual}\) is longer than the maximum model length of {limit}
vllm: input prompt \({actual} tokens\) is too long and exceeds limit of {limit}
lmstudio: keep the first {actual} tokens when .{0,20}overflows.{0,60}context length of only {limit} tokens
lmstudio: from the initial prompt \(?{actual}\)? is greater than the context length \(?{limit}
github-models: request body too large for .{1,60} model\. max size: {limit} tokens
alibaba: range of input length should be \[1, ?{limit}\]
several: input (?:length )?\(?{actual}(?: tokens)?\)? exceeds (?:the )?maximum allowed input length of {limit}
several: input (?:length )?\(?{actual}(?: tokens)?\)? exceeds (?:the )?(?:model'?s )?maximum context length (?:of )?\(?{limit}
several: exceeds (?:the )?(?:model'?s )?maximum context length (?:of )?\(?{limit}
several: exceeds (?:the )?max(?:imum)? context size (?:of )?\(?{limit}
several: maximum allowed input length of {limit} tokens
minimax: context window exceeds limit
anthropic: prompt is too long
anthropic: request exceeds the maximum size
openrouter: endpoint's maximum context length is {limit} tokens
openai: this model's maximum context length is {limit} tokens
openai: exceeds (?:the )?(?:model(?:'?s)? )?context window
google: input token count.{0,40}exceeds the maximum|exceeds? (?:the )?max(?:imum)? number of (?:input )?tokens
google: request payload size exceeds|exceeds the input token limit|input token limit exceeded
bedrock: input is too long for requested model
bedrock: ValidationException.{0,40}too many tokens? in (?:the )?input
bedrock: number of input tokens exceeds|exceeds the max(?:imum)? input token|exceeds the model's maximum
llama.cpp: exceeds (?:the )?available context size|context size has been exceeded
lmstudio: from the initial prompt is greater than the context length
moonshot: exceeded model token limit
mistral: ^(?:error: )?maximum number of tokens\W{0,3}$|maximum number of tokens (?:was |is |has been )?exceeded|maximum number of (?:input |prompt )?tokens for this model is
ollama: prompt too long; exceeded (?:max )?context length|input length exceeds (?:the )?context length
zai: prompt exceeds max(?:imum)? length
groq: reduce the length of the messages or completion
openai: please reduce the length of (?:the|your) (?:messages|input|prompt)
several: maximum context length is {limit}
several: max(?:imum)? context length (?:has been |is |was )?exceeded|context (?:length|window|limit) (?:has been |is |was )?exceeded
several: exceed(?:s|ed)? (?:the )?(?:max(?:imum)? )?context (?:length|window|limit|size|budget)|exceeds? the model's context
several: ran out of room in the (?:model'?s )?context window
several: (?:prompt|input) (?:is )?too (?:long|large|big) for (?:the|this) model
several: prompt (?:input )?(?:has )?reached the (?:configured )?(?:token|context) limit
several: max(?:imum)? input (?:length |size )?exceeded
several: ^(?:error: )?maximum context length\W{0,3}$
several: total tokens.{0,40} exceeds? (?:the )?max(?:imum)? (?:message|input|context) tokens
openai: ^string_above_max_length$|string too long\. expected a string with maximum length \d{6,9}
several: 上下文(?:长度|窗口|内容)?已?(?:过长|超长|超限|超[出过](?!范围|作用域))|超[出过]了?(?:模型)?的?最大上下文|请压缩上下文
several: 请求(?:内容|长度|总长度)超[出过]了?(?:模型|上下文)
several: (?:输入|提示词?|prompt) ?(?:tokens?)?(?:内容|长度|总?数量?|总长度)?(?:过长|超长|超[出过]).{0,12}(?:模型|上下文|tokens?)|prompt ?(?:过长|超长)
several loose: prompt (?:is )?too long
several loose: (?<!(?:image|audio|video|file)[ _-]|['"\x60] )(?:input|content) is too long(?! for .{0,40}\b(?:field|parameter|argument|property|title|name)\b|.{0,40}\bchar)
several loose: ^(?:error: )?context overflow\b
several loose: too many (?:input |prompt )?tokens|token limit exceeded
`
	.trim()
	.split('\n')
	.map(parseForm);

/** Parses a line of the table: a provider or `several`, optionally `loose` or `certain`, and the form. */
function parseForm(line: string): OverflowForm {
	const [, provider = '', trust, form = ''] = /^(\S+?)(?: (loose|certain))?: (.*)$/.exec(line) ?? [];
	return {
		provider: provider === 'several' ? null : provider,
		form,
		isLoose: trust === 'loose',
		isCertain: trust === 'certain',
	};
}

/** Codes, error types and stop reasons that always mean an overflow, with the provider that uses them. */
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

/** Matches one of these codes inside a text: "400 invalid_request: context_length_exceeded". */
export const codeInTextPattern = new RegExp(`\\b(${[...overflowCodes.keys()].join('|')})\\b`, 'i');

/** Wordings of rate limits and overload. */
export const rateLimitPatterns: readonly RegExp[] = [
	/\brate[ _-]?limit|too many requests|(?:tokens|requests) per (?:second|minute|min|hour|day)\b|\b[TR]P[MD]\b/i,
	/throttl|\bquota\b|RESOURCE_EXHAUSTED|please wait before|service unavailable|overloaded/i,
	/限流|频繁|速率限制|配额/,
];

/** Wordings that resemble an overflow but mean another limit. Texts of an error that match are ignored. */
export const overflowExclusions: readonly RegExp[] = [
	...rateLimitPatterns,
	// Limits of an account.
	/insufficient_quota|billing|\bcredits?\b|can only afford|payment required/i,
	/余额不足|欠费/,
	// Limits on parts of a request, such as its output.
	/context window.{0,20}too small|minimum (?:context window )?is \d/i,
	/maximum allowed number of output tokens|supports at most [\d,]{1,12} completion tokens/i,
	/(?<!\+ |\+ `)\bmax_?(?:output_?|completion_?|new_?)?tokens\b.{0,3} (?:must|should|cannot|has to|value of)/i,
	/\bmax_?(?:output_?|completion_?|new_?)?tokens\b.{0,30} exceeds? (?:the )?max(?:imum)? number of/i,
	/schema.{0,60}(?:levels?|depth|nest)|nesting (?:depth|level)/i,
];

/** Wordings that reveal the provider if the wording of the limit does not. */
export const providerHints: readonly (readonly [wording: RegExp, provider: string])[] = [
	[/openrouter/i, 'openrouter'],
	[/azure/i, 'azure'],
	[/bedrock|ThrottlingException|ModelStreamErrorException|ValidationException/, 'bedrock'],
	[/anthropic|claude/i, 'anthropic'],
	[/generativelanguage|vertex|gemini|RESOURCE_EXHAUSTED|googleapis/i, 'google'],
	[/mistral/i, 'mistral'],
	[/\bgroq\b/i, 'groq'],
	[/cerebras/i, 'cerebras'],
	[/\bcohere\b/i, 'cohere'],
	[/\bollama\b/i, 'ollama'],
	[/deepseek/i, 'deepseek'],
	[/openai|\bgpt-\d/i, 'openai'],
];
