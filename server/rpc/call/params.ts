import type * as z from 'zod/mini';
import { Failure } from '../../core/failure.ts';
import { isNestedDeeper } from '../../core/shape.ts';
import { describeReceived, shortenValue } from '../wire/describeValue.ts';

type Issue = z.core.$ZodIssue;

interface Problem {
	path: readonly PropertyKey[];
	expected: string;
}

const maxShownProblems = 3;
const identifierPattern = /^[A-Za-z_$][\w$]*$/;
const lengthUnits: Readonly<Record<string, string>> = { string: 'characters', array: 'items', set: 'items' };
const typeNames: Readonly<Record<string, string>> = { int: 'integer', record: 'object' };

/** Formats the path of a member for error messages, such as `params.messages[2].role`. */
export function formatPath(root: string, path: readonly PropertyKey[]): string {
	let text = root;
	for (const key of path) {
		if (typeof key === 'number') text += `[${key}]`;
		else if (identifierPattern.test(String(key))) text += `.${shortenValue(String(key))}`;
		else text += `[${JSON.stringify(shortenValue(String(key)))}]`;
	}
	return text;
}

function getValueAt(params: unknown, path: readonly PropertyKey[]): unknown {
	let value = params;
	for (const key of path) {
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
		value = Reflect.get(value, key);
	}
	return value;
}

function describeBound(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
	const isLower = issue.code === 'too_small';
	const limit = isLower ? issue.minimum : issue.maximum;
	const unit = lengthUnits[issue.origin];
	if (unit !== undefined) return `${isLower ? 'at least' : 'at most'} ${limit} ${unit}`;
	return `a number ${isLower ? '>' : '<'}${issue.inclusive === false ? '' : '='} ${limit}`;
}

function listChoices(values: readonly unknown[]): string {
	return values.map(describeReceived).join(' | ');
}

/**
 * Returns the issues of the union branch that matches the value best; undefined if no branch is close.
 *
 * A branch is close if all its issues are about parts of the value, not the whole; the one with the fewest issues wins.
 */
function findNearestBranch(branches: readonly Issue[][]): Issue[] | undefined {
	return branches
		.filter((branch) => branch.length > 0 && branch.every((issue) => issue.path.length > 0))
		.sort((a, b) => a.length - b.length)[0];
}

function describeUnionProblem(issue: z.core.$ZodIssueInvalidUnion, path: readonly PropertyKey[]): Problem {
	if ('options' in issue && issue.options !== undefined)
		return { path, expected: listChoices(issue.options) };
	const branches: Issue[][] = issue.errors;
	const nearest = findNearestBranch(branches)?.[0];
	if (nearest !== undefined) return describeProblem(nearest, path);
	const expected = branches.flatMap((branch) => {
		const atRoot = branch.find((inner) => inner.path.length === 0);
		return atRoot === undefined ? [] : [describeProblem(atRoot, path).expected];
	});
	return { path, expected: [...new Set(expected)].join(' | ') || 'another value' };
}

function describeProblem(issue: Issue, prefix: readonly PropertyKey[]): Problem {
	const path = [...prefix, ...issue.path];
	switch (issue.code) {
		case 'invalid_type':
			return { path, expected: typeNames[issue.expected] ?? issue.expected };
		case 'invalid_value':
			return { path, expected: listChoices(issue.values) };
		case 'too_small':
		case 'too_big':
			return { path, expected: describeBound(issue) };
		case 'not_multiple_of':
			return { path, expected: `a multiple of ${issue.divisor}` };
		case 'invalid_format':
			return { path, expected: `a string in the form "${issue.format}"` };
		case 'unrecognized_keys':
			return { path: [...path, ...issue.keys.slice(0, 1)], expected: 'no such field' };
		case 'invalid_union':
			return describeUnionProblem(issue, path);
		default:
			return { path, expected: issue.message };
	}
}

/** Returns the path of the first `length` member that is not a number; empty if there is none. */
function findOddLength(params: unknown): PropertyKey[] {
	const queue: { value: unknown; path: PropertyKey[] }[] = [{ value: params, path: [] }];
	for (const { value, path } of queue) {
		if (typeof value !== 'object' || value === null) continue;
		if ('length' in value && typeof value.length !== 'number') return [...path, 'length'];
		const isArray = Array.isArray(value);
		for (const [key, inner] of Object.entries(value))
			queue.push({ value: inner, path: [...path, isArray ? Number(key) : key] });
	}
	return [];
}

/** Describes what is wrong with params: one sentence per issue, at most three. */
function describeProblems(issues: readonly Issue[], params: unknown, root: string): string {
	const sentences = issues.slice(0, maxShownProblems).map((issue) => {
		const { path, expected } = describeProblem(issue, []);
		return `${formatPath(root, path)}: expected ${expected}, got ${describeReceived(getValueAt(params, path))}`;
	});
	const unshownCount = issues.length - sentences.length;
	return unshownCount > 0 ? `${sentences.join('; ')}; and ${unshownCount} more` : sentences.join('; ');
}

/** A validated value, or a description of what is wrong with it. */
export type CheckResult<Value> = { value: Value; problem?: undefined } | { problem: string };

/**
 * Validates a value against a schema. Throws only a `Failure` that the schema itself throws.
 *
 * A problem has one sentence per issue (at most three), each with field, expected and received value:
 * `params.messages[2].role: expected "system" | "user", got "robot"`.
 * @param root name of the value
 */
export function validateParams<Value>(
	schema: z.ZodMiniType<Value>,
	value: unknown,
	root = 'params',
): CheckResult<Value> {
	try {
		const parseResult = schema.safeParse(value);
		if (parseResult.success) return { value: parseResult.data };
		return { problem: describeProblems(parseResult.error.issues, value, root) };
	} catch (error) {
		if (error instanceof Failure) throw error;
		// A length check throws if the object has a `length` that is not a number.
		const problem = `${formatPath(root, findOddLength(value))}: expected no "length" but a number, got object`;
		return { problem };
	}
}

/** Maximum levels of nested arrays and objects; no provider's message comes close. */
const maxDepth = 1000;

/** Maximum path segments in an error message about nesting. */
const maxShownSegments = 6;

/**
 * Describes a value that is nested deeper than `maxDepth`; undefined for any other value. Takes time linear in the
 * value's size.
 *
 * The sentence names the member, the expected depth and what was received.
 * @param root name of the value
 */
export function describeExcessiveDepth(value: unknown, root = 'params'): string | undefined {
	// The value itself is the first level.
	let levels = maxDepth - 1;
	if (!isNestedDeeper(value, levels)) return undefined;
	let path = root;
	let inner = value;
	while (levels >= maxDepth - maxShownSegments) {
		levels--;
		const [key = '', next] = Object.entries(inner ?? {}).find(([, one]) => isNestedDeeper(one, levels)) ?? [];
		path += Array.isArray(inner) ? `[${key}]` : `.${shortenValue(key)}`;
		inner = next;
	}
	return `${path}…: expected at most ${maxDepth} levels of nesting, got more`;
}
