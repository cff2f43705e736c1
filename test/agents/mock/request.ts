/** The content of an agent's request to a model, independent of the provider's dialect. */

export type Dialect = 'anthropic' | 'chat' | 'responses' | 'gemini';

/** A request of an agent. */
export interface ModelRequest {
	dialect: Dialect;
	/** Purpose of the request: the session itself, the agent's summary, or another one such as a title. */
	kind: 'main' | 'compaction' | 'aside';
	model: string;
	isStream: boolean;
	/** Tokens of the whole request, by the count of the mock. */
	tokens: number;
	/** The offered tools by name, with the schema of their arguments. */
	tools: ReadonlyMap<string, Schema>;
	body: Fields;
}

export type Fields = Record<string, unknown>;

/** The part of a JSON schema that is needed to create a matching value. */
export interface Schema {
	properties?: Record<string, { type?: string | string[] }>;
	required?: string[];
}

/** Returns the dialect of a path; undefined if it leads to no model. */
export function dialectOf(path: string): Dialect | undefined {
	if (path.endsWith('/messages')) return 'anthropic';
	if (path.endsWith('/chat/completions')) return 'chat';
	if (path.endsWith('/responses')) return 'responses';
	return /:(stream)?[gG]enerateContent$/.test(path) ? 'gemini' : undefined;
}

/** Counts the tokens of a JSON text. */
export type CountTokens = (json: string) => number;

/** Counts a token per four characters, unlike any tokenizer. */
const countByLength: CountTokens = (json) => Math.ceil(json.length / 4);

/** Parses a request from its path and body. */
export function readRequest(
	dialect: Dialect,
	path: string,
	body: Fields,
	countTokens: CountTokens = countByLength,
): ModelRequest {
	const tools = toolsOf(body);
	const { system, systemInstruction, instructions, messages, input, contents } = body;
	const said = JSON.stringify([
		system,
		systemInstruction,
		instructions,
		body.tools,
		messages,
		input,
		contents,
	]);
	const tokens = countTokens(said);
	const instructionJson = tools.size === 0 ? JSON.stringify([system, systemInstruction, instructions]) : '';
	return {
		dialect,
		kind: kindOf({ tools, tokens, asked: instructionJson + lastText(messages ?? input ?? contents) }),
		model: typeof body.model === 'string' ? body.model : (/models\/([^:]+):/.exec(path)?.[1] ?? ''),
		isStream: dialect === 'gemini' ? path.includes(':stream') : body.stream === true,
		tokens,
		tools,
		body,
	};
}

/** Patterns of the agents' prompts for a summary, in requests with the session's tools or without tools. */
const orders = {
	withTools: /create a detailed summary of the conversation/,
	alone: /summar|checkpoint|state_snapshot/i,
};
/** Tokens below which a request without tools is no summary but a title or the like. */
const smallestSummary = 2500;

function kindOf({ tools, asked, tokens }: Pick<ModelRequest, 'tools' | 'tokens'> & { asked: string }) {
	if (readingTool(tools) !== undefined) return orders.withTools.test(asked) ? 'compaction' : 'main';
	return tokens >= smallestSummary && orders.alone.test(asked) ? 'compaction' : 'aside';
}

function list(value: unknown): Fields[] {
	return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : [];
}

function toolsOf({ tools }: Fields): Map<string, Schema> {
	const found = new Map<string, Schema>();
	for (const tool of list(tools)) {
		const own = (tool.function ?? tool) as Fields;
		for (const declared of list(tool.functionDeclarations ?? tool.tools ?? [own])) {
			const schema = declared.input_schema ?? declared.parameters ?? declared.parametersJsonSchema ?? {};
			if (typeof declared.name === 'string') found.set(declared.name, schema as Schema);
		}
	}
	return found;
}

/** Returns all text of the last turn. */
function lastText(turns: unknown): string {
	if (typeof turns === 'string') return turns;
	return JSON.stringify(list(turns).slice(-1));
}

/** Names that tools give the argument with a path. */
const pathNames = ['file_path', 'filePath', 'absolute_path', 'path'];
/** Names that tools give the argument with a command. */
const commandNames = ['cmd', 'command'];

/** Returns a call that reads a file with one of the offered tools; undefined if none of them reads files. */
export function readingCall(
	tools: ReadonlyMap<string, Schema>,
	path: string,
): { name: string; args: Fields } | undefined {
	const name = readingTool(tools);
	const properties = (name === undefined ? undefined : tools.get(name)?.properties) ?? {};
	const pathName = pathNames.find((one) => one in properties);
	if (name !== undefined && pathName !== undefined) return { name, args: { [pathName]: path } };
	const commandName = commandNames.find((one) => one in properties);
	if (name === undefined || commandName === undefined) return undefined;
	const wantsList = properties[commandName]?.type === 'array';
	return { name, args: { [commandName]: wantsList ? ['cat', path] : `cat ${path}` } };
}

function readingTool(tools: ReadonlyMap<string, Schema>): string | undefined {
	const names = ['Read', 'read', 'read_file', 'view', 'exec_command', 'shell_command', 'shell'];
	return names.find((name) => tools.has(name));
}
