/** Installs agents from the npm registry into a permanent folder, because they are not dependencies. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { RealAgent } from './agents.ts';

/** The folder of installed agents. */
export const agentsFolder = process.env.CONTEXTD_AGENTS || join(homedir(), '.cache', 'contextd-agents');
const node24 = { packageName: 'node@24.21.0', command: 'node24' };

/** An agent that can be started. */
export interface Installed {
	/** The agent's command. */
	file: string;
	/** Folders in which the agent's commands are searched first. */
	paths: string[];
	/** Path of the Node that runs contextd; by default that of this process. */
	node?: string;
}

/** Installs an agent unless it exists. Rejects with one line if it cannot be installed. */
export async function install(agent: RealAgent): Promise<Installed> {
	return installedIn(agent, await installPackage(agent));
}

/** Returns the agent whose commands are in the folder `bin`. */
async function installedIn(agent: RealAgent, bin: string): Promise<Installed> {
	const paths =
		agent.needsNode24 && nodeMajor() < 24 ? [join(await installPackage(node24), '../node/bin')] : [];
	const file = join(bin, agent.command);
	if (!existsSync(file)) throw new Error(`${agent.packageName} brings no command ${agent.command}`);
	return { file, paths: [...paths, bin] };
}

/** Installs a version of an agent that differs from the tested one. */
export async function installVersion(agent: RealAgent, version: string): Promise<Installed> {
	const name = agent.packageName.slice(0, agent.packageName.lastIndexOf('@'));
	const command = `${agent.command}-${version}`;
	const bin = await installPackage({ packageName: `${name}@${version}`, command });
	return { file: join(bin, agent.command), paths: [bin] };
}

/** The newest version of an agent, or the reason why none is available. */
export type Newest = { installed: Installed; packageName: string } | { missing: string };

/**
 * Installs the newest version in the registry. If the registry does not answer, returns the version installed
 * earlier, if any; rejects on other errors.
 */
export async function newest(agent: RealAgent): Promise<Newest> {
	const name = agent.packageName.slice(0, agent.packageName.lastIndexOf('@'));
	try {
		const version = (await npm(['view', ...impatient, name, 'version'], name)).trim();
		const packageName = `${name}@${version}`;
		if (packageName === agent.packageName) return { installed: await install(agent), packageName };
		const command = `${agent.command}-newest`;
		const bin = await installPackage({ packageName, command });
		return { installed: await installedIn(agent, bin), packageName };
	} catch (error) {
		if (!(error instanceof RegistryIsSilent)) throw error;
		const { packageName } = agent;
		if (!(await isThere(join(agentsFolder, agent.command), packageName))) return { missing: error.message };
		return { installed: await install(agent), packageName };
	}
}

/** Milliseconds after a failed installation of a version in which it is not tried again. */
const rest = 3_600_000;

/** Returns the newest version, or the tested one if the newest cannot be installed. */
export async function newestOrKnown(agent: RealAgent): Promise<Newest> {
	const note = join(agentsFolder, `${agent.command}-newest.failed`);
	const isFresh = await stat(note).then(
		({ mtimeMs }) => Date.now() - mtimeMs < rest,
		() => false,
	);
	try {
		if (!isFresh) return await newest(agent);
	} catch (error) {
		await writeFile(note, error instanceof Error ? error.message : String(error));
	}
	console.warn(`${await readFile(note, 'utf8')}; ${agent.packageName} is tried instead`);
	return { installed: await install(agent), packageName: agent.packageName };
}

/** Runs a task while no other process runs a task for the same file or folder. */
export async function alone<Result>(own: string, work: () => Promise<Result>): Promise<Result> {
	const lock = `${own}.lock`;
	await mkdir(agentsFolder, { recursive: true });
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
		if (Date.now() - since > 2 * visibleMs) await rm(lock, { recursive: true, force: true });
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

/** Returns the folder of the package's commands. */
async function installPackage({
	packageName,
	command,
}: Pick<RealAgent, 'packageName' | 'command'>): Promise<string> {
	const own = join(agentsFolder, command);
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

/** The error of a registry that gave no answer. */
class RegistryIsSilent extends Error {}

/** npm's messages about a registry that is missing, faulty or slow. */
const silence =
	/ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|\bE50\d\b/;
/** Flags of npm for a look-up that may fail. */
const impatient = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=20000'];

/** Maximum milliseconds for installing one package. */
const visibleMs = 150_000;

/** Returns the output of npm. */
function npm(args: readonly string[], packageName: string): Promise<string> {
	const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: visibleMs });
	let printed = '';
	let errors = '';
	child.stdout.setEncoding('utf8').on('data', (text) => {
		printed += text;
	});
	child.stderr.setEncoding('utf8').on('data', (text) => {
		errors += text;
	});
	return new Promise((resolve, reject) => {
		const fail = (why: string) => {
			const [silent] = silence.exec(errors) ?? [];
			reject(
				silent === undefined
					? new Error(`${packageName} cannot be installed: ${why}`)
					: new RegistryIsSilent(`an npm registry that answers when asked for ${packageName} (${silent})`),
			);
		};
		child.on('error', (error) => fail(error.message));
		child.on('close', (code) => {
			if (code === 0) resolve(printed);
			else fail(/^npm error (?!code).*$/m.exec(errors)?.[0] ?? `npm ended with ${code}`);
		});
	});
}
