import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { packExtension } from '../e2e/vscode/pack.ts';

it('the extension is packed with all that it needs, its licence, and those of what it holds', async () => {
	// A zip names its files in plain text.
	const vsix = await readFile(await packExtension('licences'), 'latin1');
	const names = [
		...['LICENSE.txt', 'THIRD-PARTY-NOTICES.txt', 'changelog.md', 'readme.md'],
		...['dist/daemon.cjs', 'dist/main-floors.cjs', 'dist/models.cjs', 'dist/api.d.ts'],
		...['package.nls.json', 'package.nls.de.json', 'l10n/bundle.l10n.de.json'],
	];
	for (const name of names) expect(vsix).toContain(`extension/${name}`);
	expect(vsix).not.toContain('/src/');
});
