/** An editor for the tests of one block. Each test continues where the previous one ended. */

import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Browser, startBrowser } from './browser.ts';
import { type CodeServer, installExtensions, startCodeServer } from './codeServer.ts';
import { type Home, makeHome, removeHome, speakIn } from './home.ts';
import { outFile } from './out.ts';
import { descendants, endDaemons, stillThere } from './processes.ts';
import type { Tools } from './tools.ts';

export interface Editor extends Browser {
	home: Home;
	/** Address of the workbench. */
	url: string;
	/** Stores a screenshot. */
	shot(name: string): Promise<unknown>;
}

export interface EditorOptions {
	/** The user's settings, in addition to those of every test. */
	settings?: Record<string, unknown>;
	/** The language of the editor, such as `de`. */
	locale?: string;
}

/**
 * Starts the editor before the tests, and ends it after them; fails if one of its processes survives. If a test fails, the
 * later ones are skipped. The result may only be used inside tests. The names of screenshots and logs begin with `name`.
 */
export function useEditor(
	tools: Tools,
	name: string,
	packages: () => Promise<string[]>,
	{ settings = {}, locale }: EditorOptions = {},
): Editor {
	const editor = {
		shot: (step: string) => editor.page.screenshot({ path: outFile(`${name}-${step}.png`) }),
	} as Editor;
	let server: CodeServer | undefined;
	let before: ReturnType<typeof descendants>;
	let broken = false;

	beforeAll(async () => {
		editor.home = makeHome(tools, settings);
		if (locale !== undefined) speakIn(editor.home, locale);
		await installExtensions(tools, editor.home, await packages());
		before = descendants();
		server = await startCodeServer(
			tools,
			editor.home,
			`${name}-server.log`,
			locale === undefined ? [] : ['--locale', locale],
		);
		Object.assign(editor, { url: server.url }, await startBrowser(tools, editor.home));
	}, 480_000);

	afterAll(async () => {
		const seen = new Map([...descendants()].filter(([pid]) => !before?.has(pid)));
		await editor.close?.();
		await server?.stop();
		if (editor.home) await endDaemons(editor.home);
		expect(await stillThere(seen, 30_000)).toEqual([]);
		if (editor.home) await removeHome(editor.home);
	}, 90_000);

	beforeEach((context) => {
		if (broken) context.skip('an earlier step failed');
	});

	afterEach(async (context) => {
		if (context.task.result?.state !== 'fail') return;
		broken = true;
		await editor.shot('failure');
	});

	return editor;
}
