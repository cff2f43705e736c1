import { readFile } from 'node:fs/promises';
import { inflateRawSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { packExtension } from '../e2e/vscode/pack.ts';

it('the extension is packed with everything it needs, its licence and the licences of its contents', async () => {
	// A zip archive stores file names in plain text.
	const vsix = await readFile(await packExtension('licences'), 'latin1');
	const names = [
		...['LICENSE.txt', 'THIRD-PARTY-NOTICES.txt', 'changelog.md', 'readme.md'],
		...['main', 'transcriptThread', 'providers', 'sqlite'].map((name) => `dist/daemon/${name}.cjs`),
		...['dist/daemon/ranks-o200k.bin.br', 'dist/daemon/sqlite.wasm.br', 'dist/api.d.ts'],
		...['package.nls.json', 'package.nls.de.json', 'l10n/bundle.l10n.de.json'],
	];
	for (const name of names) expect(vsix).toContain(`extension/${name}`);
	expect(vsix).not.toContain('/src/');
});

/** Returns the text of a file in a zip whose local headers hold the sizes (PKWARE's APPNOTE, 4.3.7). */
function textIn(zip: Buffer, name: string): string {
	const start = zip.indexOf(name) - 30;
	const isDeflated = zip.readUInt16LE(start + 8) === 8;
	const from = start + 30 + name.length + zip.readUInt16LE(start + 28);
	const bytes = zip.subarray(from, from + zip.readUInt32LE(start + 18));
	return (isDeflated ? inflateRawSync(bytes) : bytes).toString('utf8');
}

it('the page of the packed extension has no pictures, which the editor would show as broken', async () => {
	const vsix = await readFile(await packExtension('page'));
	const page = textIn(vsix, 'extension/readme.md');
	expect(page).toContain('# contextd: Context Meter');
	expect(page).not.toContain('![');
	expect(page).not.toContain('data:');
});
