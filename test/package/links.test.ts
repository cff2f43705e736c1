/** Every link in the pages leads to an existing file, and to an existing heading in that file. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['.', 'docs', 'client-vscode', 'client-neovim', 'client-emacs', 'client-claude/files/plugin'];
const pages = folders
	.filter((folder) => existsSync(join(root, folder)))
	.flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
	.filter((page) => page.endsWith('.md'));

/** Returns the anchors that GitHub gives a page's headings. */
function anchorsOf(text: string): Set<string> {
	const seen = new Map<string, number>();
	const anchors = new Set<string>();
	for (const [, heading = ''] of text.replace(/^```.*?^```/gms, '').matchAll(/^#{1,6} (.+)$/gm)) {
		const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
		const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
		const times = seen.get(anchor) ?? 0;
		seen.set(anchor, times + 1);
		anchors.add(times === 0 ? anchor : `${anchor}-${times}`);
	}
	return anchors;
}

/** Returns the links of a page that lead nowhere. */
function deadLinksOf(page: string): string[] {
	const text = readFileSync(join(root, page), 'utf8');
	const links = [...text.replace(/^```.*?^```/gms, '').matchAll(/\]\(([^)\s]+)\)/g)].map(
		([, link = '']) => link,
	);
	return links.filter((link) => {
		if (/^[a-z]+:/.test(link)) return false;
		const [path = '', anchor] = link.split('#');
		const target = path === '' ? page : normalize(join(dirname(page), path));
		if (!existsSync(join(root, target))) return true;
		if (anchor === undefined) return false;
		return !anchorsOf(readFileSync(join(root, target), 'utf8')).has(anchor);
	});
}

it.each(pages)('%s has no link that leads nowhere', (page) => {
	expect(deadLinksOf(page)).toEqual([]);
});
