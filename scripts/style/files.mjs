import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

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

const namedNodeTypes = new Set(['Property', 'MethodDefinition', 'PropertyDefinition']);

/** Calls `enter` for each node of a syntax tree, parents first, with the node and the name that an ancestor gives it. */
export function visit(node, enter, name) {
	if (typeof node?.type === 'string') enter(node, name);
	for (const child of Object.values(node ?? {})) {
		if (child !== null && typeof child === 'object') visit(child, enter, getGivenName(node) ?? name);
	}
}

function getGivenName({ type, id, key }) {
	if (type === 'VariableDeclarator') return id.name;
	return namedNodeTypes.has(type) ? (key.name ?? key.value) : undefined;
}

/** Returns the syntax tree and the comments of a source file. Throws an `Error` if the file cannot be parsed. */
export function readSyntax({ file, source }) {
	const { program, comments, errors } = parseSync(file, source);
	if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`);
	return { file, source, program, comments };
}
