/** Finds members of params that the contract does not define. */

import * as z from 'zod/mini';
import { findSimilarName } from '../../core/similarName.ts';
import { formatPath } from './params.ts';

/** Names of the members that an object in params may have. */
export interface SchemaShape {
	names: readonly string[];
	/** Shapes of the members that are objects with known members themselves. */
	innerShapes: ReadonlyMap<string, SchemaShape>;
}

/** A member that the contract does not define. */
export interface UnknownMember {
	path: readonly string[];
	/** Name of the known member that the unknown one resembles; undefined if there is none. */
	suggestion: string | undefined;
}

/** Objects in params whose members are checked, too; other nested objects may have any member. */
const deeplyCheckedMembers = ['request', 'config'];

/** Members that LSP allows in the params of any request. */
const commonMembers = ['workDoneToken', 'partialResultToken'];

/** Maximum unknown members to collect, and to name in one sentence. */
const maxMembers = { collected: 100, named: 3 };

/**
 * Other names for known members, in lower case without `_` and `-`. A synonym is suggested only if the object has
 * that member.
 */
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

/** Returns the object schema inside an optional or piped schema; undefined if there is none. */
function findObjectSchema(schema: unknown): z.ZodMiniObject | undefined {
	if (schema instanceof z.ZodMiniObject) return schema;
	if (schema instanceof z.ZodMiniOptional) return findObjectSchema(schema.def.innerType);
	return schema instanceof z.ZodMiniPipe ? findObjectSchema(schema.def.out) : undefined;
}

/** Returns the known members of a params schema; undefined if the schema is not for an object. */
export function readSchemaShape(schema: unknown): SchemaShape | undefined {
	const shape = findObjectSchema(schema)?.shape;
	if (shape === undefined) return undefined;
	const innerShapes = deeplyCheckedMembers.flatMap((name): [string, SchemaShape][] => {
		const inner = readSchemaShape(shape[name]);
		return inner === undefined ? [] : [[name, inner]];
	});
	return { names: Object.keys(shape), innerShapes: new Map(innerShapes) };
}

function suggestName(name: string, knownNames: readonly string[]): string | undefined {
	const plain = name.toLowerCase().replaceAll(/[_-]/g, '');
	return findSimilarName(name, knownNames) ?? knownNames.find((one) => synonyms[one]?.includes(plain));
}

/** Returns the first hundred unknown members of params; null members count as absent. */
export function findUnknownMembers(
	shape: SchemaShape,
	params: object,
	path: readonly string[] = [],
): UnknownMember[] {
	const unknownMembers: UnknownMember[] = [];
	for (const name of Object.keys(params)) {
		if (unknownMembers.length >= maxMembers.collected) break;
		const value: unknown = Reflect.get(params, name);
		const memberPath = [...path, name];
		const inner = shape.innerShapes.get(name);
		if (value === null || value === undefined || commonMembers.includes(name)) continue;
		if (inner !== undefined && typeof value === 'object')
			unknownMembers.push(...findUnknownMembers(inner, value, memberPath));
		else if (!shape.names.includes(name))
			unknownMembers.push({ path: memberPath, suggestion: suggestName(name, shape.names) });
	}
	return unknownMembers;
}

/** Joins the first three parts, and appends the number of others. */
function joinLimited(texts: readonly string[], separator: string): string {
	const unnamedCount = texts.length - maxMembers.named;
	return (
		texts.slice(0, maxMembers.named).join(separator) +
		(unnamedCount > 0 ? `${separator}and ${unnamedCount} more` : '')
	);
}

/** Describes the unknown members that resemble known ones; undefined if none does. */
export function describeLookalikes(unknown: readonly UnknownMember[], root = 'params'): string | undefined {
	const problems = unknown.flatMap(({ path, suggestion }) =>
		suggestion === undefined
			? []
			: [`${formatPath(root, path)}: no such member (did you mean "${suggestion}"?)`],
	);
	return problems.length === 0 ? undefined : joinLimited(problems, '; ');
}

/** Returns the log message about ignored members. */
export function describeIgnored(unknown: readonly UnknownMember[], root = 'params'): string {
	return `ignoring unknown ${unknown.length === 1 ? 'parameter' : 'parameters'} ${joinLimited(
		unknown.map(({ path }) => formatPath(root, path)),
		', ',
	)}`;
}
