import { execFile } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { type Installed, installPackage } from './installed.ts';

const run = promisify(execFile);
const { name: packageName } = manifest;
const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));

let installed: Installed;

beforeAll(async () => {
	installed = await installPackage();
});

afterAll(() => installed.remove());

/** Runs a script in the user's folder; returns what it prints. */
async function printed(name: string, script: string): Promise<string> {
	await writeFile(join(installed.folder, name), script);
	return (await run(process.execPath, [name], { cwd: installed.folder })).stdout;
}

/** Returns TypeScript's errors for files in the user's folder, which has no other types than Node's and the package's. */
async function typeProblems(options: string[], files: string[]): Promise<string> {
	const common = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2023', '--types', 'node'];
	const types = ['--typeRoots', join(modules, '@types')];
	const tsc = [join(modules, 'typescript/bin/tsc'), ...common, ...types, ...options, ...files];
	return run(process.execPath, tsc, { cwd: installed.folder }).then(
		() => '',
		({ stdout }: { stdout: string }) => stdout,
	);
}

const asksTwice = `
	const client = await connect({ env: { CONTEXTD_MEMORY_ENABLED: 'false' } });
	const { sessions } = await client.request('session/list');
	const error = await client.request(contextStats.method, { sessionId: 'x' }).catch((error) => error);
	await client.close();
	console.log(sessions.length, error instanceof RequestError, error.kind);
`;

describe('what the package exports', () => {
	it('the package passes publint', async () => {
		const { messages } = await publint({
			pkgDir: join(installed.folder, 'node_modules', packageName),
			strict: true,
			pack: false,
		});
		expect(messages).toEqual([]);
	});

	it('the package has correct types for every resolution of modules by exports', async () => {
		const tarball = createPackageFromTarballData(new Uint8Array(await readFile(installed.tarball)));
		const analysis = await checkPackage(tarball);
		if (analysis.types === false) throw new Error('the package has no types');
		const problems = analysis.problems.filter(
			(problem) => !('resolutionKind' in problem && problem.resolutionKind === 'node10'),
		);
		expect(problems).toEqual([]);
		expect(Object.keys(analysis.entrypoints)).toEqual([
			'.',
			'./protocol',
			'./kit',
			'./ai-sdk',
			'./protocol.schema.json',
			'./package.json',
		]);
	});

	it('the package works in ES modules and in CommonJS, and is the same instance in both', async () => {
		const esm = `import { connect, RequestError } from '${packageName}';
			import { contextStats } from '${packageName}/protocol';
			${asksTwice}`;
		expect(await printed('asks.mjs', esm)).toBe('0 true SessionNotFound\n');
		const cjs = `const { connect, RequestError } = require('${packageName}');
			const { contextStats } = require('${packageName}/protocol');
			(async () => { ${asksTwice} })();`;
		expect(await printed('asks.cjs', cjs)).toBe('0 true SessionNotFound\n');
		const schema = `console.log(Object.keys(require('${packageName}/protocol.schema.json').messages).includes('context/stats'))`;
		expect(await printed('schema.cjs', schema)).toBe('true\n');
		const both = `import { createRequire } from 'node:module';
			import { RequestError } from '${packageName}';
			console.log(createRequire(import.meta.url)('${packageName}').RequestError === RequestError);`;
		expect(await printed('both.mjs', both)).toBe('true\n');
	});

	it('the kit and the AI SDK adapter start the daemon of the package', async () => {
		const asks = `
			const daemon = createDaemon({ env: { CONTEXTD_MEMORY_ENABLED: 'false' } });
			const { created } = await daemon.ask('session/open', { sessionId: 'x' }, { timeoutMs: 20000 });
			await daemon.close();
			console.log(created, typeof createAiSdkContext, anthropicDialect.toNeutral({ role: 'user', content: 'hi' }).length);`;
		const esm = `import { anthropicDialect, createDaemon } from '${packageName}/kit';
			import { createAiSdkContext } from '${packageName}/ai-sdk';
			${asks}`;
		expect(await printed('kit.mjs', esm)).toBe('true function 1\n');
		const cjs = `const { anthropicDialect, createDaemon } = require('${packageName}/kit');
			const { createAiSdkContext } = require('${packageName}/ai-sdk');
			(async () => { ${asks} })();`;
		expect(await printed('kit.cjs', cjs)).toBe('true function 1\n');
	});

	it('an uncaught error of the kit prints a readable line', async () => {
		const script = `const { createDaemon } = require('${packageName}/kit');
			const daemon = createDaemon({ env: { CONTEXTD_MEMORY_ENABLED: 'false' } });
			process.on('exit', () => daemon.close());
			daemon.ask('context/compact', { sessionId: 'none' }, { timeoutMs: 20000 });`;
		await writeFile(join(installed.folder, 'throws.cjs'), script);
		const { stderr } = await run(process.execPath, ['throws.cjs'], { cwd: installed.folder }).then(
			() => ({ stderr: '' }),
			(error: { stderr: string }) => error,
		);
		expect(stderr).toContain('RequestError');
		for (const line of stderr.split('\n')) expect(line.length).toBeLessThan(300);
	});

	it('the kit and the AI SDK adapter have types in ES modules and in CommonJS', async () => {
		const text = `import { type Conversation, createConversation, type Dialect, type View, createViewFiles } from '${packageName}/kit';
			import { type AiSdkContext, createAiSdkContext } from '${packageName}/ai-sdk';
			export const context: AiSdkContext = createAiSdkContext({ sessionId: 's', contextWindow: 32_000 });
			export function hold(dialect: Dialect<{ text: string }>): Conversation<{ text: string }> {
				const ask = async () => { throw new Error('no daemon'); };
				const store = createViewFiles('/nowhere');
				return createConversation({ sessionId: 's', dialect, ask, store, clock: { now: Date.now }, rules: { tokens: 4000 } });
			}
			export const shown = (view: View<{ text: string }>): number | undefined => view.stats?.usageRatio;`;
		await writeFile(join(installed.folder, 'kit.mts'), text);
		await writeFile(join(installed.folder, 'kit.cts'), text);
		expect(await typeProblems(['--module', 'nodenext'], ['kit.mts', 'kit.cts'])).toBe('');
	});

	it('the package has types in ES modules and in CommonJS', async () => {
		await copyFile(
			join(installed.folder, 'node_modules/contextd/examples/loop.ts'),
			join(installed.folder, 'loop.ts'),
		);
		await writeFile(
			join(installed.folder, 'old.cts'),
			`import { connect } from '${packageName}';
			import type { ContextStats } from '${packageName}/protocol';
			async function stats(sessionId: string): Promise<ContextStats | null> {
				const client = await connect({ initializationOptions: { compaction: { threshold: 0.7 } } });
				client.onNotification('context/didChange', ({ stats }) => console.log(stats?.usageRatio.toFixed(2)));
				client.onRequest('context/summarize', ({ prompt }) => ({ text: prompt, stopReason: 'stop' }));
				await client.notify('context/didReadFile', { sessionId, uri: 'file:///a' });
				return client.request('context/stats', { sessionId }, { signal: AbortSignal.timeout(1) });
			}
			void stats;`,
		);
		expect(await typeProblems(['--module', 'node16'], ['loop.ts', 'old.cts'])).toBe('');
		expect(await typeProblems(['--module', 'nodenext'], ['loop.ts', 'old.cts'])).toBe('');
		expect(await typeProblems(['--module', 'esnext', '--moduleResolution', 'bundler'], ['loop.ts'])).toBe('');
	});

	it('the types refuse requests that the contract does not have', async () => {
		await writeFile(
			join(installed.folder, 'wrong.ts'),
			`import { connect } from '${packageName}';
			const client = await connect();
			client.request('context/stats');
			client.request('context/status', { sessionId: 's' });
			client.request('context/compact', { sessionId: 's', targetTokens: '30k' });
			client.request('context/summarize', { sessionId: 's', prompt: '', system: '', maxTokens: 1 });
			client.onNotification('context/didReadFile', () => {});`,
		);
		const problems = await typeProblems(['--module', 'nodenext'], ['wrong.ts']);
		expect(problems.match(/^wrong\.ts\((\d+)/gm)).toEqual([3, 4, 5, 6, 7].map((line) => `wrong.ts(${line}`));
	});
});
