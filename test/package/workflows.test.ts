/** Checks the workflows for continuous integration against GitHub's own schema. */

import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { removeFolder } from '../support/removeFolder.ts';

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

/** Path of the bundled parser of GitHub. It must be bundled, because it imports JSON in a way that Node refuses. */
const bundle = join(mkdtempSync(join(tmpdir(), 'contextd-parser-')), 'parser.cjs');
await build({
	stdin: { contents: "export * from '@actions/workflow-parser'", resolveDir: folder },
	outfile: bundle,
	bundle: true,
	format: 'cjs',
	platform: 'node',
});
afterAll(() => removeFolder(dirname(bundle)));

const parser: typeof import('@actions/workflow-parser') = createRequire(import.meta.url)(bundle);
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = parser;

/** Returns what GitHub's parser rejects. */
async function problemsOf(name: string, content: string): Promise<string[]> {
	const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
	if (value !== undefined) await convertWorkflowTemplate(context, value);
	return context.errors.getErrors().map((error) => error.message);
}

it.each(readdirSync(folder))('%s follows the schema of workflows', async (name) => {
	expect(await problemsOf(name, readFileSync(`${folder}${name}`, 'utf8'))).toEqual([]);
});

it('the schema check finds an unknown key and a missing job', async () => {
	expect(await problemsOf('wrong.yml', 'on: push\njobs:\n  a:\n    runs_on: x\n    steps: []\n')).not.toEqual(
		[],
	);
});

it('tests every supported version of Node on Linux, macOS and Windows', () => {
	const text = readFileSync(`${folder}test.yml`, 'utf8');
	expect(text).toContain('node: [20, 22, 24]');
	expect(text).toMatch(/os: \[ubuntu-[\d.]+, macos-\d+, windows-\d+\]/);
});
