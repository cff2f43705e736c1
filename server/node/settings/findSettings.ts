/** Finds the settings files of a user and a project. */

import { dirname, join, posix, resolve, win32 } from 'node:path';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { errorCode } from '../../core/failure.ts';
import type { FoundSettings } from '../../core/settings/layers.ts';
import { isNestedDeeper } from '../../core/shape.ts';
import type { ClientMachine } from '../stateFolder.ts';
import { FileRefusedError, readOwnText } from './settingsFile.ts';

const settingsFileName = 'contextd.json';
/** Maximum levels of nesting; far more than any setting needs. */
const maxNestingDepth = 20;

/**
 * Returns the path of a user's settings file: in the folder `contextd` of `$XDG_CONFIG_HOME`, else of `~/.config`, or on Windows
 * of `%APPDATA%`.
 */
export function getUserSettingsPath({ environment, platform, home }: ClientMachine): string {
	const { XDG_CONFIG_HOME: configHome = '', APPDATA: appData } = environment;
	const path = platform === 'win32' ? win32 : posix;
	if (path.isAbsolute(configHome)) return path.join(configHome, 'contextd', settingsFileName);
	if (platform === 'win32')
		return path.join(appData || path.join(home, 'AppData', 'Roaming'), 'contextd', settingsFileName);
	return path.join(home, '.config', 'contextd', settingsFileName);
}

/** Reads the user's settings file; undefined if it does not exist. */
export function readUserSettings(machine: ClientMachine): Promise<FoundSettings | undefined> {
	return readSettings('user', getUserSettingsPath(machine));
}

/**
 * Reads the settings files that apply to a client: the user's, then the first one found from `folder` upward to the home folder or
 * the root of the file system.
 */
export async function findSettings(machine: ClientMachine, folder: string): Promise<FoundSettings[]> {
	const [user, project] = await Promise.all([
		readUserSettings(machine),
		findProjectSettings(folder, { home: machine.home, userPath: getUserSettingsPath(machine) }),
	]);
	return [user, project].filter((one) => one !== undefined);
}

async function findProjectSettings(
	start: string,
	{ home, userPath }: { home: string; userPath: string },
): Promise<FoundSettings | undefined> {
	const topFolder = resolve(home);
	for (let folder = resolve(start); ; folder = dirname(folder)) {
		const path = join(folder, settingsFileName);
		const projectSettings = path === userPath ? undefined : await readSettings('project', path);
		if (projectSettings || folder === topFolder || folder === dirname(folder)) return projectSettings;
	}
}

/** Reads a settings file; undefined if it does not exist. */
async function readSettings(scope: FoundSettings['scope'], path: string): Promise<FoundSettings | undefined> {
	try {
		return { scope, path, ...parseSettings(await readOwnText(path), path) };
	} catch (error) {
		if (!(error instanceof FileRefusedError)) throw error;
		if (['ENOENT', 'ENOTDIR'].includes(errorCode(error.cause))) return undefined;
		return { scope, path, problem: `${path}: ignored, because it ${error.message}` };
	}
}

/** Parses settings as JSON with comments and trailing commas. */
function parseSettings(text: string, path: string): Pick<FoundSettings, 'value' | 'problem'> {
	const tooDeep = { problem: `${path}: ignored, because it is nested too deeply` };
	const errors: ParseError[] = [];
	let value: unknown;
	try {
		const options = { allowTrailingComma: true, allowEmptyContent: true };
		value = parse(text.replace(/^\uFEFF/, ''), errors, options);
	} catch (error) {
		// The parser is recursive, so very deep nesting exceeds the stack.
		if (!(error instanceof RangeError)) throw error;
		return tooDeep;
	}
	const [firstError] = errors;
	if (firstError === undefined) return isNestedDeeper(value, maxNestingDepth) ? tooDeep : { value };
	const lines = text.slice(0, firstError.offset).split('\n');
	const column = (lines.at(-1)?.length ?? 0) + 1;
	const expected = printParseErrorCode(firstError.error).replaceAll(
		/[A-Z]/g,
		(letter) => ` ${letter.toLowerCase()}`,
	);
	return { problem: `${path}:${lines.length}:${column}: ignored, because it is not JSON:${expected}` };
}
