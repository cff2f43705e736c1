/** Both sides of a provider's API, in types that the agent and the model share. */

import type { FormatName } from '../../../server/protocol/conversation.ts';

export type Fields = Record<string, unknown>;

export function isFields(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function listOf(value: unknown): Fields[] {
	return Array.isArray(value) ? value.filter(isFields) : [];
}

export interface Call {
	id: string;
	name: string;
	args: Fields;
}

/** The result of a tool. */
export interface Outcome {
	call: Call;
	text: string;
	isError: boolean;
}

/** An answer of the model: some text, and calls to make before it continues. */
export interface ModelOutput {
	text: string;
	calls: { name: string; args: Fields }[];
}

export interface Usage {
	input: number;
	output: number;
}

/** A history as the daemon returns it. */
export interface History {
	messages: unknown[];
	system?: unknown;
}

/** The part of a response that the agent uses. */
export interface Answer {
	/** Messages to append, in the provider's format. */
	messages: unknown[];
	calls: Call[];
	/** The provider's usage figures; absent if the messages contain them. */
	usage?: Usage;
}

/** The part of a request that is the same for every model. */
export interface Setup {
	model: string;
	systemPrompt: string;
	tools: { name: string; description: string; parameters: Fields }[];
	maxOutputTokens: number;
}

/** The provider's side: its rules and its answers. */
export interface Endpoint {
	/** Describes the first rule of the API that a request breaks. */
	findBrokenRule(body: Fields): string | undefined;
	/** Returns the body of the error for a request that breaks a rule. */
	refusal(message: string): unknown;
	/** Returns the maximum tokens of a prompt whose answer may have `maxOutputTokens`. */
	computePromptLimit(window: number, maxOutputTokens: number): number;
	/** Returns the body of the error for a prompt that does not fit. All figures are tokens. */
	overflow(actual: number, window: number, maxOutputTokens: number): unknown;
	rateLimit: { status: number; body: unknown };
	maxOutputOf(body: Fields): number;
	answer(say: ModelOutput, usage: Usage): unknown;
}

/** The agent's side: its requests, and how it reads the answers. */
export interface Dialogue {
	provider: string;
	format: FormatName;
	/** Whether the agent sends system prompt and tools to the daemon. Otherwise the daemon learns their size from usage. */
	sendsSystemPrompt: boolean;
	/** Returns the messages before the user's first. */
	opening(setup: Setup): unknown[];
	user(text: string): unknown;
	request(history: History, setup: Setup): unknown;
	read(response: Fields): Answer;
	results(outcomes: readonly Outcome[]): unknown[];
}

export interface Provider extends Dialogue {
	name: string;
	model: string;
	/** Tokens that the provider counts for one token of the test's tokenizer. */
	scale: number;
	/** Tokens that the provider adds to every prompt without showing them. */
	hidden: number;
	/** Whether the provider's errors state the size of the prompt and of the window. */
	statesFigures: boolean;
	endpoint(): Endpoint;
}
