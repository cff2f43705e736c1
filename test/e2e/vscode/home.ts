/** A new folder for one run: the editor's settings, extensions and state, and a workspace. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { removeFolder } from '../../support/removeFolder.ts';
import type { Tools } from './tools.ts';

export interface Home {
	base: string;
	user: string;
	extensions: string;
	workspace: string;
	/** Environment of every process of the run. */
	environment: NodeJS.ProcessEnv;
}

const settings = {
	'workbench.startupEditor': 'none',
	'workbench.tips.enabled': false,
	'workbench.enableExperiments': false,
	'workbench.secondarySideBar.defaultVisibility': 'hidden',
	'workbench.reduceMotion': 'on',
	'workbench.colorTheme': 'Default Dark Modern',
	'window.autoDetectColorScheme': false,
	'security.workspace.trust.enabled': false,
	'telemetry.telemetryLevel': 'off',
	'update.mode': 'none',
	'extensions.autoUpdate': false,
	'extensions.autoCheckUpdates': false,
	'extensions.ignoreRecommendations': true,
	'chat.disableAIFeatures': true,
	'git.enabled': false,
	// Otherwise the editor would show a notification about each port that another test opens.
	'remote.autoForwardPorts': false,
};

/** Returns the text of a long source file. */
function sourceFile(name: string): string {
	const functions = Array.from(
		{ length: 40 },
		(_, index) =>
			`/** Reads part ${index} of a ${name} out of a text. */\nexport function ${name}Part${index}(text: string): number {\n\tconst digits = text.slice(${index}, ${index + 2});\n\treturn Number.parseInt(digits, 10) - ${index % 3};\n}\n`,
	);
	return functions.join('\n');
}

/**
 * Creates the folder. Its path is short, because the editor puts sockets there, whose paths may have 107 bytes.
 * Variables of an editor that started the tests are removed.
 */
export function makeHome(tools: Tools, extra: Record<string, unknown> = {}): Home {
	const base = mkdtempSync(path.join(tmpdir(), 'ce-'));
	const index = (...parts: string[]): string => path.join(base, ...parts);
	for (const folder of ['u/User', 'x', 'ws/src', 't']) mkdirSync(index(folder), { recursive: true });
	writeFileSync(index('ws/readme.md'), '# Dates\n');
	writeFileSync(index('ws/src/dateParser.ts'), sourceFile('date'));
	writeFileSync(index('ws/src/timeZone.ts'), sourceFile('zone'));
	writeFileSync(index('config.yaml'), 'auth: none\n');
	writeFileSync(index('u/User/settings.json'), JSON.stringify({ ...settings, ...extra }));
	const inherited = Object.entries(process.env).filter(
		([name]) => !/^(VSCODE|ELECTRON|CONTEXTD|VITEST)_/.test(name),
	);
	return {
		base,
		user: index('u'),
		extensions: index('x'),
		workspace: index('ws'),
		environment: {
			...Object.fromEntries(inherited),
			HOME: base,
			XDG_CONFIG_HOME: index('c'),
			XDG_DATA_HOME: index('d'),
			XDG_CACHE_HOME: index('k'),
			XDG_STATE_HOME: index('s'),
			TMPDIR: index('t'),
			EXTENSIONS_GALLERY: '{"serviceUrl":""}',
			CS_DISABLE_GETTING_STARTED_OVERRIDE: '1',
			PATH: `${path.dirname(tools.node)}:${process.env.PATH ?? ''}`,
		},
	};
}

/**
 * Sets the editor's language, as an installed language pack does. Only texts of extensions are translated.
 */
export function speakIn({ user }: Home, locale: string): void {
	const words = path.join(user, 'main.i18n.json');
	writeFileSync(words, JSON.stringify({ version: '1.0.0', contents: {} }));
	const extensions = [{ extensionIdentifier: { id: `language-pack-${locale}` }, version: '1.0.0' }];
	const pack = { hash: '0', extensions, translations: { vscode: words }, label: locale };
	writeFileSync(path.join(user, 'languagepacks.json'), JSON.stringify({ [locale]: pack }));
}

/** Removes the folder of the run. Its daemons must have ended. */
export function removeHome({ base }: Home): Promise<void> {
	return removeFolder(base);
}
