/** Installs agents from the npm registry into a folder that is kept: none of them is a dependency. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { RealAgent } from './agents.ts';

const folder = process.env.CONTEXTD_AGENTS || join(homedir(), '.cache', 'contextd-agents');
const node24 = { packageName: 'node@24.21.0', command: 'node24' };

/** An agent that can be started. */
export interface Installed {
	/** The agent's command. */
	file: string;
	/** Folders that its commands are looked for in first. */
	paths: string[];
}

/** Installs an agent unless it is there already. Rejects, in one line, where it cannot be installed. */
export async function install(agent: RealAgent): Promise<Installed> {
	const bin = await installPackage(agent);
	const paths =
		agent.needsNode24 && nodeMajor() < 24 ? [join(await installPackage(node24), '../node/bin')] : [];
	const file = join(bin, agent.command);
	if (!existsSync(file)) throw new Error(`${agent.packageName} brings no command ${agent.command}`);
	return { file, paths: [...paths, bin] };
}

/** Installs the newest version that the registry has, or the one that is known where that cannot be installed. */
export async function installNewest(agent: RealAgent): Promise<Installed> {
	const name = agent.packageName.slice(0, agent.packageName.lastIndexOf('@'));
	try {
		const version = (await npm(['view', name, 'version'], name)).trim();
		const command = `${agent.command}-newest`;
		const bin = await installPackage({ packageName: `${name}@${version}`, command });
		const { file, paths } = await install(agent);
		return { file: file.replace(paths.at(-1) ?? '', bin), paths: [...paths.slice(0, -1), bin] };
	} catch (error) {
		console.warn(`the newest ${name} is not tried: ${error instanceof Error ? error.message : error}`);
		return install(agent);
	}
}

/** Does a work while no other process does it for the same folder. */
async function alone<Result>(own: string, work: () => Promise<Result>): Promise<Result> {
	const lock = `${own}.lock`;
	await mkdir(folder, { recursive: true });
	while (
		!(await mkdir(lock).then(
			() => true,
			() => false,
		))
	) {
		const since = await stat(lock).then(
			({ mtimeMs }) => mtimeMs,
			() => Date.now(),
		);
		if (Date.now() - since > 2 * patience) await rm(lock, { recursive: true, force: true });
		await setTimeout(500);
	}
	try {
		return await work();
	} finally {
		await rm(lock, { recursive: true, force: true });
	}
}

function nodeMajor(): number {
	return Number(process.versions.node.split('.')[0]);
}

/** Gives the folder of the package's commands. */
async function installPackage({
	packageName,
	command,
}: Pick<RealAgent, 'packageName' | 'command'>): Promise<string> {
	const own = join(folder, command);
	const bin = join(own, 'node_modules', '.bin');
	await alone(own, async () => {
		if (await isThere(own, packageName)) return;
		await mkdir(own, { recursive: true });
		await writeFile(join(own, 'package.json'), '{"private":true}');
		const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
		await npm(['install', '--prefix', own, ...quiet, packageName], packageName);
	});
	return bin;
}

async function isThere(own: string, packageName: string): Promise<boolean> {
	const index = packageName.lastIndexOf('@');
	const manifest = join(own, 'node_modules', packageName.slice(0, index), 'package.json');
	if (!existsSync(manifest)) return false;
	return JSON.parse(await readFile(manifest, 'utf8')).version === packageName.slice(index + 1);
}

/** Milliseconds that one package may take. */
const patience = 150_000;

/** Gives what npm prints. */
function npm(args: readonly string[], packageName: string): Promise<string> {
	const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: patience });
	let printed = '';
	let errors = '';
	child.stdout.setEncoding('utf8').on('data', (text) => {
		printed += text;
	});
	child.stderr.setEncoding('utf8').on('data', (text) => {
		errors += text;
	});
	return new Promise((resolve, reject) => {
		const fail = (why: string) => reject(new Error(`${packageName} cannot be installed: ${why}`));
		child.on('error', (error) => fail(error.message));
		child.on('close', (code) => {
			if (code === 0) resolve(printed);
			else fail(errors.trim().split('\n').at(-1) ?? `npm ended with ${code}`);
		});
	});
}
