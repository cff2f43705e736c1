/** What an installation changed in an agent's settings, recorded so that it can be reverted. */

import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isFields, tryParseJson } from '../../../core/shape.ts';
import { readBytesIfExists, replaceFile } from './files.ts';

/** An installation into one settings folder of an agent. */
export interface InstallRecord {
	version: string;
	/** The changed settings file. */
	settings: string;
	/** The file's bytes before the installation, as base64; null if there was no file. */
	saved: string | null;
	/** Checksum of the settings file's bytes after the installation; SHA-256, hexadecimal. */
	left: string;
	/** Further values that the agent's installer needs again. */
	own: Readonly<Record<string, string>>;
}

/** Returns the SHA-256 in hexadecimal. */
export function computeChecksum(bytes: Buffer | string): string {
	return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the path of a record. An agent may have several settings folders, each with its own record. */
function getRecordPath(stateFolder: string, agent: string, settingsPath: string): string {
	return join(stateFolder, 'agents', `${agent}-${computeChecksum(settingsPath).slice(0, 12)}.json`);
}

/** Reads the record of an installation; undefined if there is none. */
export async function readInstallRecord(
	stateFolder: string,
	agent: string,
	settingsPath: string,
): Promise<InstallRecord | undefined> {
	const bytes = await readBytesIfExists(getRecordPath(stateFolder, agent, settingsPath));
	return bytes && (JSON.parse(bytes.toString('utf8')) as InstallRecord);
}

export function writeInstallRecord(stateFolder: string, agent: string, record: InstallRecord): Promise<void> {
	const path = getRecordPath(stateFolder, agent, record.settings);
	return replaceFile(path, JSON.stringify(record, null, 1), 0o600);
}

export function removeInstallRecord(stateFolder: string, agent: string, settingsPath: string): Promise<void> {
	return rm(getRecordPath(stateFolder, agent, settingsPath), { force: true });
}

/** Returns the settings files of all installations into an agent; empty if there are no readable records. */
export async function listInstalledSettings(stateFolder: string, agent: string): Promise<string[]> {
	const folder = join(stateFolder, 'agents');
	const names = await readdir(folder).catch(() => []);
	const settingsPaths: string[] = [];
	for (const name of names.filter((one) => isRecordName(agent, one))) {
		const record = tryParseJson((await readBytesIfExists(join(folder, name)))?.toString('utf8') ?? '')?.value;
		if (isFields(record) && typeof record.settings === 'string') settingsPaths.push(record.settings);
	}
	return settingsPaths;
}

function isRecordName(agent: string, name: string): boolean {
	return name.startsWith(`${agent}-`) && name.endsWith('.json');
}

/** Returns whether contextd is installed into an agent, with any settings folder. */
export async function isInstalledAnywhere(stateFolder: string, agent: string): Promise<boolean> {
	const names = await readdir(join(stateFolder, 'agents')).catch(() => []);
	return names.some((name) => isRecordName(agent, name));
}
