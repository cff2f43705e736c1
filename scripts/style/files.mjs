import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Folders with other programs, build output or test data, which are not checked. */
const skippedFolders = new Set(['node_modules', 'dist', 'out', 'test/fixtures']);

/** Returns the paths of all handwritten files below a folder, relative to the root. */
function listFiles(root, folder = '') {
	return readdirSync(path.join(root, folder), { withFileTypes: true }).flatMap((entry) => {
		const file = path.posix.join(folder, entry.name);
		if (skippedFolders.has(entry.name) || skippedFolders.has(file) || entry.name.startsWith('.')) return [];
		return entry.isDirectory() ? listFiles(root, file) : [file];
	});
}

/** Reads the source files and pages of the project. Returns their paths and texts. */
export function readFiles(root) {
	return listFiles(root)
		.filter((file) => /\.(?:[cm]?[jt]s|md|lua|el)$|^client-neovim\/doc\/.*\.txt$/.test(file))
		.map((file) => ({ file, source: readFileSync(path.join(root, file), 'utf8') }));
}
