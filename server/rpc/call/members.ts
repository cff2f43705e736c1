/** Finds members of params that the contract does not define. */

import * as z from 'zod/mini';
import { findSimilarName } from '../../core/similarName.ts';
import { pathText } from './params.ts';

/** The known members of an object in params. */
export interface SchemaShape {
	names: readonly string[];
	/** Members that are objects with known members themselves. */
	inner: ReadonlyMap<string, SchemaShape>;
}

/** A member that the contract does not define. */
export interface UnknownMember {
	path: readonly string[];
	/** The known member of the same object that it resembles. */
	suggestion: string | undefined;
}

/** Members whose own members are checked too; others may contain anything. */
const checkedMembers = ['request', 'config'];

/** Members that LSP allows in the params of any request. */
const alwaysAllowed = ['workDoneToken', 'partialResultToken'];

/** Unknown members that are collected, and those that a sentence names. */
const limits = { collected: 100, named: 3 };

/** Other names for our members, in lower case without `_` and `-`; used if the object knows only our name. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
	sessionId: ['session', 'conversationid', 'threadid'],
	workspace: ['cwd', 'root', 'rooturi', 'rootpath', 'folder', 'workspacefolder'],
	uri: ['path', 'file', 'filepath', 'filename'],
	path: ['uri', 'file', 'filepath', 'filename'],
	contextWindow: ['contextlength', 'contextsize', 'maxcontexttokens', 'window'],
	maxOutputTokens: ['maxtokens', 'maxcompletiontokens', 'outputtokens'],
	targetTokens: ['target', 'tokens', 'maxtokens', 'budget'],
	availableTokens: ['tokens', 'maxtokens', 'budget'],
	dryRun: ['preview', 'simulate', 'whatif'],
	preserve: ['keep', 'pin', 'pinned'],
	enablePrune: ['enablepruning'],
	enableDeduplicate: ['enablededuplication'],
	enableSummarize: ['enablesummarization'],
	enableTruncate: ['enableslidingwindow'],
	config: ['options', 'settings', 'configuration'],
	systemPrompt: ['system', 'systeminstruction', 'instructions'],
	toolDefinitions: ['tools', 'functions'],
	fileAttachments: ['files', 'attachments'],
	currentPrompt: ['prompt', 'userprompt'],
	output: ['text', 'content'],
	text: ['content', 'input'],
	threshold: ['compactionthreshold'],
	startLine: ['start', 'firstline', 'linestart'],
	endLine: ['end', 'lastline', 'lineend'],
};

/** The object schema within a schema; undefined if there is none. */
function objectIn(schema: unknown): z.ZodMiniObject | undefined {
	if (schema instanceof z.ZodMiniObject) return schema;
	if (schema instanceof z.ZodMiniOptional) return objectIn(schema.def.innerType);
	return schema instanceof z.ZodMiniPipe ? objectIn(schema.def.out) : undefined;
}

/** The known members of a params schema; undefined if it is not for an object. */
export function schemaShapeOf(schema: unknown): SchemaShape | undefined {
	const shape = objectIn(schema)?.shape;
	if (shape === undefined) return undefined;
	const inner = checkedMembers.flatMap((name): [string, SchemaShape][] => {
		const inner = schemaShapeOf(shape[name]);
		return inner === undefined ? [] : [[name, inner]];
	});
	return { names: Object.keys(shape), inner: new Map(inner) };
}

function suggestName(name: string, known: readonly string[]): string | undefined {
	const plain = name.toLowerCase().replaceAll(/[_-]/g, '');
	return findSimilarName(name, known) ?? known.find((one) => synonyms[one]?.includes(plain));
}

/** Unknown members of params, the first hundred; null members count as absent. */
export function unknownMembers(
	shape: SchemaShape,
	params: object,
	path: readonly string[] = [],
): UnknownMember[] {
	const found: UnknownMember[] = [];
	for (const name of Object.keys(params)) {
		if (found.length >= limits.collected) break;
		const value: unknown = Reflect.get(params, name);
		const here = [...path, name];
		const inner = shape.inner.get(name);
		if (value === null || value === undefined || alwaysAllowed.includes(name)) continue;
		if (inner !== undefined && typeof value === 'object') found.push(...unknownMembers(inner, value, here));
		else if (!shape.names.includes(name))
			found.push({ path: here, suggestion: suggestName(name, shape.names) });
	}
	return found;
}

/** Joins the first few parts, and says how many more there are. */
function joinLimited(parts: readonly string[], separator: string): string {
	const others = parts.length - limits.named;
	return parts.slice(0, limits.named).join(separator) + (others > 0 ? `${separator}and ${others} more` : '');
}

/** The problem with members that resemble known ones; undefined if none does. */
export function lookalikeProblem(unknown: readonly UnknownMember[], root = 'params'): string | undefined {
	const problems = unknown.flatMap(({ path, suggestion }) =>
		suggestion === undefined
			? []
			: [`${pathText(root, path)}: no such member (did you mean "${suggestion}"?)`],
	);
	return problems.length === 0 ? undefined : joinLimited(problems, '; ');
}

/** The log message about ignored members. */
export function ignoredText(unknown: readonly UnknownMember[], root = 'params'): string {
	return `ignoring unknown ${unknown.length === 1 ? 'parameter' : 'parameters'} ${joinLimited(
		unknown.map(({ path }) => pathText(root, path)),
		', ',
	)}`;
}
