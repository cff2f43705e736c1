/** What one provider's API looks like from both of its ends, in the words that the agent and the model share. */

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

/** What a tool gave back. */
export interface Outcome {
	call: Call;
	text: string;
	isError: boolean;
}

/** What the model says: some text, and calls to make before it goes on. */
export interface Say {
	text: string;
	calls: { name: string; args: Fields }[];
}

export interface Usage {
	input: number;
	output: number;
}

/** A history as the daemon hands it out. */
export interface History {
	messages: unknown[];
	system?: unknown;
}

/** What the agent takes from a response. */
export interface Answer {
	/** To be appended, in the provider's format. */
	messages: unknown[];
	calls: Call[];
	/** Absent where the messages carry it themselves. */
	usage?: Usage;
}

/** What the agent says to every model. */
export interface Setup {
	model: string;
	systemPrompt: string;
	tools: { name: string; description: string; parameters: Fields }[];
	maxOutputTokens: number;
}

/** The provider's end: its rules and its words. */
export interface Endpoint {
	/** The first rule of the API that a request breaks, in words. */
	broken(body: Fields): string | undefined;
	/** The body of the error for a request that breaks a rule. */
	refusal(message: string): unknown;
	/** Tokens that a prompt may have where so many are asked for as output. */
	roomFor(window: number, maxOutputTokens: number): number;
	/** What it says where the prompt does not fit. Tokens. */
	overflow(actual: number, window: number, maxOutputTokens: number): unknown;
	rateLimit: { status: number; body: unknown };
	maxOutputOf(body: Fields): number;
	answer(say: Say, usage: Usage): unknown;
}

/** The agent's end: how it asks, and what it makes of the answer. */
export interface Dialogue {
	provider: string;
	format: FormatName;
	/** Whether the daemon is told of the system prompt and the tools, or must learn of them from usage. */
	tellsRequest: boolean;
	/** Messages before the first user's. */
	opening(setup: Setup): unknown[];
	user(text: string): unknown;
	request(history: History, setup: Setup): unknown;
	read(response: Fields): Answer;
	results(outcomes: readonly Outcome[]): unknown[];
}

export interface Provider extends Dialogue {
	name: string;
	model: string;
	/** Tokens that it counts for one of the test's own. */
	scale: number;
	/** Tokens of every prompt that no client sees. */
	hidden: number;
	/** Whether its errors say how large the prompt was and how large it may be. */
	namesFigures: boolean;
	endpoint(): Endpoint;
}
