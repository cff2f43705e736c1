import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { packExtension } from '../e2e/vscode/pack.ts';

it('the extension is packed with its licence, and with those of what it holds', async () => {
	// A zip names its files in plain text.
	const vsix = await readFile(await packExtension('licences'), 'latin1');
	for (const name of ['LICENSE.txt', 'THIRD-PARTY-NOTICES.txt', 'dist/daemon.cjs']) {
		expect(vsix).toContain(`extension/${name}`);
	}
	expect(vsix).not.toContain('/src/');
});
