import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { describeNodeProblem } from '../../server/start/nodeVersion.ts';
import { needs } from '../support/needs.ts';

const oldNode = process.env.CONTEXTD_OLD_NODE ?? '';
const command = fileURLToPath(new URL('../../dist/contextd.cjs', import.meta.url));

/** Runs the command on a simulated Node of a version; returns the required modules, the message and the exit code. */
async function runOn(version: string) {
	const script = (await readFile(command, 'utf8')).replace(/^#!.*/, '');
	const required: string[] = [];
	let said = '';
	const process = {
		argv: ['node', 'contextd', 'stats'],
		versions: { node: version },
		exitCode: undefined,
		stderr: {
			write(text: string) {
				said += text;
			},
		},
	};
	runInNewContext(script, { process, require: (name: string) => required.push(name) });
	return { required, said, exitCode: process.exitCode };
}

describe('the built command on old versions of Node', () => {
	it('the built command contains no syntax newer than Node 12', async () => {
		const source = await readFile(command, 'utf8');
		const written = await transform(source, { target: 'esnext', format: 'cjs' });
		const forOldest = await transform(source, { target: 'node12', format: 'cjs' });
		expect(forOldest.code).toBe(written.code);
	});

	it.each(['12.0.0', '14.21.3', '16.20.2', '18.20.8', '20.18.3'])(
		'the command prints one sentence with the required version on Node %s, and loads nothing',
		async (version) => {
			const said = `contextd needs Node 20.19 or later; this is ${version}\n`;
			expect(await runOn(version)).toEqual({ required: [], said, exitCode: 1 });
		},
	);

	it.each(['20.19.0', '22.0.0', '24.21.0', '100.1.0'])(
		'the command loads the program on Node %s',
		async (version) => {
			const { required, said, exitCode } = await runOn(version);
			expect(required.filter((name) => name.startsWith('./'))).toEqual(['./main.cjs']);
			expect({ said, exitCode }).toEqual({ said: '', exitCode: undefined });
		},
	);
});

it.skipIf(!oldNode)(
	'a real Node that is too old prints the required version and ends at once',
	needs('a Node older than 20.19, which CONTEXTD_OLD_NODE names'),
	() => {
		const { status, stdout, stderr } = spawnSync(oldNode, [command, '--stdio'], { encoding: 'utf8' });
		expect({ status, stdout, stderr }).toEqual({
			status: 1,
			stdout: '',
			stderr: expect.stringMatching(/^contextd needs Node 20\.19 or later; this is \d+\.\d+\.\d+\n$/),
		});
	},
);

it('the required version of Node is the one in package.json', async () => {
	const { engines } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));
	expect(describeNodeProblem('18.0.0', engines.node.replace('>=', ''))).toContain('Node 20.19 or later');
});
