import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Folders of other programs, of build output, and of test data. */
const skipped = new Set(['node_modules', 'dist', 'out', 'test/fixtures']);

/** Returns the paths of all files under a folder that people write, relative to the root. */
function filesUnder(root, folder = '') {
	return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
		const file = path.posix.join(folder, entry.name);
		if (skipped.has(entry.name) || skipped.has(file) || entry.name.startsWith('.')) return [];
		return entry.isDirectory() ? filesUnder(root, file) : [file];
	});
}

/** Returns the source files and pages of the project, each as its path and text. */
export function readFiles(root) {
	return filesUnder(root)
		.filter((file) => /\.(?:[cm]?[jt]s|md|lua|el)$|^client-neovim\/doc\/.*\.txt$/.test(file))
		.map((file) => ({ file, source: readFileSync(path.join(root, file), 'utf8') }));
}
