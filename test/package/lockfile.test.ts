import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

interface LockedPackage {
	link?: boolean;
	integrity?: string;
}

it('package-lock.json has a checksum of every package that npm downloads', async () => {
	const lock = JSON.parse(await readFile(new URL('../../package-lock.json', import.meta.url), 'utf8'));
	const downloaded = Object.entries<LockedPackage>(lock.packages).filter(
		([path, { link }]) => path.includes('node_modules/') && !link,
	);
	expect(downloaded.length).toBeGreaterThan(300);
	const unchecked = downloaded.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''));
	expect(unchecked.map(([path]) => path)).toEqual([]);
});
