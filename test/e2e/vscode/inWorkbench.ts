/** Declares tests that are steps of a user in the current workbench, with the extension installed. */

import { describe } from 'vitest';
import { needs } from '../../support/needs.ts';
import { type Editor, type EditorOptions, useEditor } from './editor.ts';
import { packExtension, packHelper } from './pack.ts';
import { missingOf, toolsOf } from './tools.ts';

interface Workbench extends EditorOptions {
	/** Prefix of the names of screenshots and logs. */
	name: string;
	/** Further extensions that the tests install. */
	helpers?: 'example-agent'[];
}

/** Describes tests that follow each other in one editor; they are skipped if the editor is not installed. */
export function inWorkbench(
	title: string,
	{ name, helpers = [], ...options }: Workbench,
	steps: (editor: Editor) => void,
): void {
	const missing = missingOf('workbench');
	const packages = () =>
		Promise.all([packExtension(`${name}-packed`), ...helpers.map((helper) => packHelper(helper))]);
	const wanted = { ...needs(`the editors (${missing})`), timeout: 360_000 };
	describe.skipIf(missing !== null)(title, wanted, () =>
		steps(useEditor(toolsOf('workbench'), name, packages, options)),
	);
}
