/** Every regular expression of the product's sources. */

import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface FoundPattern {
	/** Location of the pattern as `path:line`; `built by a module` if a module builds the pattern when it loads. */
	location: string;
	pattern: RegExp;
}

const root = join(import.meta.dirname, '../../..');
const folders = ['server', 'kit', 'client-claude/src', 'client-opencode', 'client-pi', 'client-vscode/src'];

function sources(folder: string): string[] {
	return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
		.filter(
			(entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.parentPath.includes('node_modules'),
		)
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
}

/** Returns the regular expression literals of all product sources, and calls `visit` for each syntax node. */
export function literalPatterns(
	visit: (node: SyntaxNode, location: string) => void = () => {},
): FoundPattern[] {
	return folders.flatMap(sources).flatMap((path) => {
		const text = readFileSync(path, 'utf8');
		const { program, errors } = parseSync(path, text);
		if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
		const found: FoundPattern[] = [];
		walk(program, (node) => {
			const location = `${relative(root, path)}:${text.slice(0, node.start).split('\n').length}`;
			visit(node, location);
			if (node.regex) found.push({ location, pattern: new RegExp(node.regex.pattern, node.regex.flags) });
		});
		return found;
	});
}

export interface SyntaxNode {
	type: string;
	start: number;
	regex?: { pattern: string; flags: string };
	callee?: SyntaxNode;
	name?: string;
}

function walk(value: unknown, visit: (node: SyntaxNode) => void): void {
	if (typeof value !== 'object' || value === null) return;
	if (Array.isArray(value)) for (const item of value) walk(item, visit);
	else {
		if ('type' in value && 'start' in value) visit(value as SyntaxNode);
		for (const item of Object.values(value)) walk(item, visit);
	}
}

/** Returns the patterns that these modules build when they are loaded, from `new RegExp` with a text. */
export async function builtPatterns(modules: readonly string[]): Promise<FoundPattern[]> {
	const found: FoundPattern[] = [];
	const { RegExp: original } = globalThis;
	globalThis.RegExp = new Proxy(original, {
		construct(target, parameters: [string | RegExp, string?], newTarget) {
			const pattern: RegExp = Reflect.construct(target, parameters, newTarget);
			if (typeof parameters[0] === 'string') found.push({ location: 'built by a module', pattern });
			return pattern;
		},
	});
	try {
		for (const module of modules) await import(/* @vite-ignore */ join(root, module));
	} finally {
		globalThis.RegExp = original;
	}
	return found;
}
