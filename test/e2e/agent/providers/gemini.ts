/** The method generateContent of Gemini. Its calls have no ids; since Gemini 3 they have a signature. */

import { type Call, type Endpoint, type Fields, isFields, listOf, type Provider } from '../wire.ts';

function partsOf(content: Fields | undefined): Fields[] {
	return listOf(content?.parts);
}

function namesOf(content: Fields | undefined, field: 'functionCall' | 'functionResponse'): string[] {
	return partsOf(content).flatMap((part) =>
		isFields(part[field]) ? [String((part[field] as Fields).name)] : [],
	);
}

function faultOf(content: Fields, index: number, all: readonly Fields[]): string | undefined {
	const before = all[index - 1];
	if (content.role !== 'user' && content.role !== 'model') return 'Please use a valid role: user, model.';
	if (before?.role === content.role)
		return 'Please ensure that multiturn requests alternate between user and model.';
	const parts = partsOf(content);
	if (parts.length === 0) return `contents[${index}].parts must not be empty.`;
	const extra = Object.keys(content).find((name) => name !== 'role' && name !== 'parts');
	if (extra) return `Invalid JSON payload received. Unknown name "${extra}" at 'contents[${index}]'`;
	const empty = parts.some((part) => Object.keys(part).length === 1 && part.text === '');
	if (empty) return 'Unable to submit request because it must have a text parameter.';
	const called = namesOf(before, 'functionCall');
	const answered = namesOf(content, 'functionResponse');
	if (called.join() !== answered.join()) {
		return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
	}
	return undefined;
}

/** Describes the first answer of the current turn whose first call lacks a known signature. */
function signatureFault(all: readonly Fields[], given: ReadonlySet<unknown>): string | undefined {
	const start = all.findLastIndex(
		(content) => content.role === 'user' && namesOf(content, 'functionResponse').length === 0,
	);
	for (const [index, content] of all.entries()) {
		const first = partsOf(content).find((part) => part.functionCall);
		if (!first || index < start) continue;
		const known =
			given.has(first.thoughtSignature) || first.thoughtSignature === 'skip_thought_signature_validator';
		if (!known)
			return `Function call is missing a thought_signature in functionCall parts. Position ${index}.`;
	}
	return undefined;
}

function endpoint(): Endpoint {
	const given = new Set<unknown>();
	let ids = 0;
	const error = (code: number, message: string, status: string) => ({ error: { code, message, status } });
	return {
		findBrokenRule({ contents, systemInstruction }) {
			const all = listOf(contents);
			if (all[0]?.role !== 'user') return 'Please ensure that the first content is of the user.';
			if (all.at(-1)?.role !== 'user') return 'Please ensure that the last content is of the user.';
			if (isFields(systemInstruction) && partsOf(systemInstruction).length === 0) return 'empty instruction';
			for (const [index, content] of all.entries()) {
				const fault = faultOf(content, index, all);
				if (fault) return fault;
			}
			if (namesOf(all.at(-1), 'functionCall').length > 0) return 'calls without responses';
			return signatureFault(all, given);
		},
		refusal: (message) => error(400, message, 'INVALID_ARGUMENT'),
		computePromptLimit: (window) => window,
		overflow: (actual, window) =>
			error(
				400,
				`The input token count (${actual}) exceeds the maximum number of tokens allowed (${window}).`,
				'INVALID_ARGUMENT',
			),
		rateLimit: {
			status: 429,
			body: error(429, 'Resource has been exhausted (e.g. check quota).', 'RESOURCE_EXHAUSTED'),
		},
		maxOutputOf: ({ generationConfig }) =>
			Number(isFields(generationConfig) ? generationConfig.maxOutputTokens : 0),
		answer(say, usage) {
			const signature = `signature-${++ids}`;
			given.add(signature);
			const text = say.text === '' ? [] : [{ text: say.text }];
			const calls = say.calls.map(({ name, args }, index) => ({
				functionCall: { name, args },
				...(index === 0 && { thoughtSignature: signature }),
			}));
			return {
				candidates: [
					{ index: 0, finishReason: 'STOP', content: { role: 'model', parts: [...text, ...calls] } },
				],
				usageMetadata: { promptTokenCount: usage.input, candidatesTokenCount: usage.output },
			};
		},
	};
}

export const gemini: Provider = {
	name: 'Gemini generateContent',
	provider: 'google',
	model: 'gemini-3-pro',
	format: 'gemini',
	scale: 1.1,
	hidden: 0,
	statesFigures: true,
	sendsSystemPrompt: true,
	endpoint,
	opening: ({ systemPrompt }) => [{ role: 'system', parts: [{ text: systemPrompt }] }],
	user: (text) => ({ role: 'user', parts: [{ text }] }),
	request: ({ messages, system }, setup) => ({
		systemInstruction: system,
		tools: [{ functionDeclarations: setup.tools }],
		generationConfig: { maxOutputTokens: setup.maxOutputTokens },
		contents: messages,
	}),
	read(response) {
		const [candidate] = listOf(response.candidates);
		const content = isFields(candidate?.content) ? candidate.content : {};
		const usage = isFields(response.usageMetadata) ? response.usageMetadata : {};
		const calls = partsOf(content).flatMap((part): Call[] => {
			const call = isFields(part.functionCall) ? part.functionCall : undefined;
			return call ? [{ id: '', name: String(call.name), args: call.args as Fields }] : [];
		});
		return {
			messages: [content],
			calls,
			usage: { input: Number(usage.promptTokenCount), output: Number(usage.candidatesTokenCount) },
		};
	},
	results: (outcomes) => [
		{
			role: 'user',
			parts: outcomes.map(({ call, text, isError }) => ({
				functionResponse: { name: call.name, response: isError ? { error: text } : { output: text } },
			})),
		},
	],
};
