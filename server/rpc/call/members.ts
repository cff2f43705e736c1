/** Members of params that the contract does not name. */

import * as z from 'zod/mini';
import { findSimilarName } from '../../core/nearName.ts';
import { pathText } from './params.ts';

/** An object of params whose members are all known, or told of. */
export interface MemberPlace {
	names: readonly string[];
	/** The members that are such objects themselves. */
	inner: ReadonlyMap<string, MemberPlace>;
}

/** A member that nobody knows. */
export interface UnknownMember {
	path: readonly string[];
	/** The known member of the same object that it looks like. */
	meant: string | undefined;
}

/** Members whose own members are looked at too; all others hold what is not ours to judge. */
const innerPlaces = ['request', 'config'];

/** What LSP allows in the params of any request. */
const always = ['workDoneToken', 'partialResultToken'];

/** Unknown members that are looked at, and those that a sentence names. */
const limits = { looked: 100, named: 3 };

/** What others call members of ours, without case, `_` and `-`. It counts where the member is known and the other is not. */
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

/** The schema of the object in a schema; undefined where there is none. */
function objectIn(schema: unknown): z.ZodMiniObject | undefined {
	if (schema instanceof z.ZodMiniObject) return schema;
	if (schema instanceof z.ZodMiniOptional) return objectIn(schema.def.innerType);
	return schema instanceof z.ZodMiniPipe ? objectIn(schema.def.out) : undefined;
}

/** The members that a schema of params knows; undefined where it is of no object. */
export function memberPlaceOf(schema: unknown): MemberPlace | undefined {
	const shape = objectIn(schema)?.shape;
	if (shape === undefined) return undefined;
	const inner = innerPlaces.flatMap((name): [string, MemberPlace][] => {
		const place = memberPlaceOf(shape[name]);
		return place === undefined ? [] : [[name, place]];
	});
	return { names: Object.keys(shape), inner: new Map(inner) };
}

function meantBy(name: string, known: readonly string[]): string | undefined {
	const plain = name.toLowerCase().replaceAll(/[_-]/g, '');
	return findSimilarName(name, known) ?? known.find((one) => synonyms[one]?.includes(plain));
}

/** The members of params that their place does not know, the first hundred; those that are null count as absent. */
export function unknownMembers(
	place: MemberPlace,
	params: object,
	path: readonly string[] = [],
): UnknownMember[] {
	const found: UnknownMember[] = [];
	for (const name of Object.keys(params)) {
		if (found.length >= limits.looked) break;
		const value: unknown = Reflect.get(params, name);
		const here = [...path, name];
		const inner = place.inner.get(name);
		if (value === null || value === undefined || always.includes(name)) continue;
		if (inner !== undefined && typeof value === 'object') found.push(...unknownMembers(inner, value, here));
		else if (!place.names.includes(name)) found.push({ path: here, meant: meantBy(name, place.names) });
	}
	return found;
}

/** A sentence of the first few, and of how many more there are. */
function sentence(parts: readonly string[], separator: string): string {
	const others = parts.length - limits.named;
	return parts.slice(0, limits.named).join(separator) + (others > 0 ? `${separator}and ${others} more` : '');
}

/** What is wrong with members that look like known ones; undefined where none does. */
export function lookalikeProblem(unknown: readonly UnknownMember[], root = 'params'): string | undefined {
	const problems = unknown.flatMap(({ path, meant }) =>
		meant === undefined ? [] : [`${pathText(root, path)}: no such member (did you mean "${meant}"?)`],
	);
	return problems.length === 0 ? undefined : sentence(problems, '; ');
}

/** What to say of members that look like none, and are ignored. */
export function ignoredText(unknown: readonly UnknownMember[], root = 'params'): string {
	return `ignoring unknown ${unknown.length === 1 ? 'parameter' : 'parameters'} ${sentence(
		unknown.map(({ path }) => pathText(root, path)),
		', ',
	)}`;
}
