/** Installs agents from the npm registry into a permanent folder, because they are not dependencies. */

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { needs } from '../support/needs.ts';
import type { RealAgent } from './agents.ts';

/** The folder of installed agents. */
export const agentsFolder = process.env.CONTEXTD_AGENTS || join(homedir(), '.cache', 'contextd-agents');
const node24 = { packageName: 'node@24.21.0', command: 'node24' };

/** Whether tests with real agents were requested. */
export const areAgentsWanted = Boolean(process.env.CONTEXTD_REAL_AGENTS);
/** Whether the newest versions are tested instead of the pinned ones. */
const areNewestWanted = Boolean(process.env.CONTEXTD_NEWEST_AGENTS);
const want = 'real agents from the npm registry: set CONTEXTD_REAL_AGENTS=1';
/** The need of tests with real agents; none if they were requested. */
export const needsAgents = areAgentsWanted ? {} : needs(want);

/** An agent that can be started. */
export interface Installed {
	/** The agent's package, with the version. */
	packageName: string;
	/** The agent's command. */
	file: string;
	/** Folders in which the agent's commands are searched first. */
	paths: string[];
	/** Path of the Node that runs contextd; by default that of this process. */
	node?: string;
}

/**
 * Installs an agent unless it exists: the version of `agents.ts`, or with `CONTEXTD_NEWEST_AGENTS` the newest of the
 * registry. Rejects with one line if it cannot be installed.
 */
export async function install(agent: RealAgent): Promise<Installed> {
	const version = areNewestWanted
		? (await npm(['view', ...impatientFlags, nameOf(agent), 'version'], nameOf(agent))).trim()
		: versionOf(agent);
	const installed = await installVersion(agent, version);
	if (agent.needsNode24 && nodeMajor() < 24)
		installed.paths.unshift(join(await installPackage(node24), '../node/bin'));
	return installed;
}

/** Installs a version of an agent unless it exists. */
export async function installVersion(agent: RealAgent, version: string): Promise<Installed> {
	const packageName = `${nameOf(agent)}@${version}`;
	const bin = await installPackage({ packageName, command: agent.command });
	const file = join(bin, agent.command);
	if (!existsSync(file)) throw new Error(`${packageName} brings no command ${agent.command}`);
	return { packageName, file, paths: [bin] };
}

/** An agent, or the reason why it is missing. */
type Found = { installed: Installed } | { missing: string };

/**
 * Installs an agent if real agents were requested. Rejects if the registry answers, but the pinned version cannot be
 * installed. If the newest version was requested and cannot be installed, the agent counts as missing.
 */
export async function findAgent(agent: RealAgent): Promise<Found> {
	if (!areAgentsWanted) return { missing: want };
	try {
		return { installed: await install(agent) };
	} catch (error) {
		if (error instanceof RegistryIsSilent) return { missing: error.message };
		if (areNewestWanted) return { missing: `a version that npm can install: ${String(error)}` };
		throw error;
	}
}

/** Runs a task while no other process runs a task for the same file or folder. */
export async function runAlone<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
	const lock = `${path}.lock`;
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
		if (Date.now() - since > 2 * maxInstallMs) await rm(lock, { recursive: true, force: true });
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

/** A package with its version, and the command that it brings. */
type Package = Pick<RealAgent, 'packageName' | 'command'>;

/** Returns the package's name without the version. */
function nameOf({ packageName }: Pick<Package, 'packageName'>): string {
	return packageName.slice(0, packageName.lastIndexOf('@'));
}

function versionOf({ packageName }: Pick<Package, 'packageName'>): string {
	return packageName.slice(packageName.lastIndexOf('@') + 1);
}

/** Installs a package, unless it is installed, into a folder for its version. Returns the folder of its commands. */
async function installPackage({ packageName, command }: Package): Promise<string> {
	const own = join(agentsFolder, `${command}-${versionOf({ packageName })}`);
	const done = join(own, 'installed');
	await runAlone(own, async () => {
		if (existsSync(done)) return;
		await mkdir(own, { recursive: true });
		await writeFile(join(own, 'package.json'), '{"private":true}');
		const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
		await npm(['install', '--prefix', own, ...quiet, packageName], packageName);
		await writeFile(done, packageName);
	});
	return join(own, 'node_modules', '.bin');
}

/** The error of a registry that gave no answer. */
class RegistryIsSilent extends Error {}

/** npm's messages about a registry that is missing, faulty or slow. */
const silencePattern =
	/ENOTFOUND|ECONNREFUSED|ECONNRESET|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT|\bE50\d\b/;
/** Flags of npm for a look-up that may fail. */
const impatientFlags = ['--fetch-retries=1', '--fetch-retry-mintimeout=1000', '--fetch-timeout=20000'];

/** Maximum milliseconds for installing one package. */
const maxInstallMs = 150_000;

/** Returns the output of npm. */
function npm(args: readonly string[], packageName: string): Promise<string> {
	const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: maxInstallMs });
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
			const [silent] = silencePattern.exec(errors) ?? [];
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
