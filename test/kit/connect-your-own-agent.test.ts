/** Runs the examples of docs/kit.md. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { jsonSchema, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterEach, expect, it, vi } from 'vitest';
import { freshFolder, removeFolders } from '../support/app.ts';

const page = readFileSync(new URL('../../docs/kit.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code);
const ownPackage = createRequire(import.meta.url);
const importing = /^import \{ (.+) \} from '(.+)';$/gm;

afterEach(async () => {
	vi.unstubAllEnvs();
	await removeFolders();
});

/** Runs the example that calls a function, with its imports and this scope; returns the values of some of its variables. */
async function run(
	used: string,
	scope: Record<string, unknown>,
	names: readonly string[],
): Promise<Record<string, unknown>> {
	const code = examples.find((one) => one.includes(`${used}(`)) ?? '';
	expect(code).not.toBe('');
	const imported: Record<string, unknown> = {};
	for (const [, list = '', from = ''] of code.matchAll(importing)) {
		const module = from.startsWith('contextd/') ? ownPackage(from) : await import(from);
		for (const name of list.split(', ')) {
			expect(module[name], `${name} of ${from}`).toBeDefined();
			imported[name] = module[name];
		}
	}
	const all = { ...imported, ...scope };
	const body = `return (async () => {${code.replace(importing, '')}; return { ${names.join(', ')} }; })()`;
	return new Function(...Object.keys(all), body)(...Object.values(all));
}

it('the example with the AI SDK in docs/kit.md runs', async () => {
	vi.stubEnv('CONTEXTD_HOME', freshFolder());
	let steps = 0;
	const usage = {
		inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
		outputTokens: { total: 4, text: 4, reasoning: 0 },
	};
	const model = new MockLanguageModelV3({
		async doGenerate() {
			const isLast = ++steps === 3;
			const call = {
				type: 'tool-call' as const,
				toolCallId: `call-${steps}`,
				toolName: 'build',
				input: '{}',
			};
			return {
				content: [isLast ? { type: 'text' as const, text: 'Built.' } : call],
				finishReason: { unified: isLast ? ('stop' as const) : ('tool-calls' as const), raw: undefined },
				usage,
				warnings: [],
			};
		},
	});
	const build = tool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => 'a part' });
	const { context } = await run(
		'createAiSdkContext',
		{ model, tools: { build }, prompt: 'Build the house.' },
		['context'],
	);
	expect(steps).toBe(3);
	const { describe, close } = context as { describe(): Promise<string>; close(): Promise<void> };
	expect(await describe()).toMatch(/tokens \(<?\d+%\)/);
	await close();
});

it('the example with the kit in docs/kit.md runs', async () => {
	vi.stubEnv('CONTEXTD_HOME', freshFolder());
	const { createViewFiles } = ownPackage('contextd/kit');
	const folder = freshFolder();
	const list = [{ role: 'user', content: 'Build the house.' }];
	const scope = {
		list,
		systemPrompt: 'You build.',
		toolDefinitions: [],
		createViewFiles: (path: string) => createViewFiles(join(folder, path)),
	};
	const { messages, daemon, decision } = await run('createConversation', scope, [
		'messages',
		'daemon',
		'decision',
	]);
	expect(messages).toEqual(list);
	expect(decision).toBeUndefined();
	await (daemon as { close(): Promise<void> }).close();
});
