/** Compares paths, which calls name absolutely or relative to any folder. */

/** Returns the last part of a path. */
export function getFileName(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1);
}

/** The start of an absolute path in the folder of a user, which shells write as `~/`. */
export const homePattern = /^(?:\/root|(?:[A-Za-z]:)?\/(?:home|Users)\/[^/]+)\//;

/** Whether two paths may name the same file or folder: one may be the end of the other. `~` may be the folder of any user. */
export function mayBeSamePath(one: string, other: string): boolean {
	if (one.startsWith('~/') !== other.startsWith('~/')) {
		const [a, b] = [one.replace(homePattern, '~/'), other.replace(homePattern, '~/')];
		if (a === b) return true;
	}
	return `/${one}`.endsWith(`/${other}`) || `/${other}`.endsWith(`/${one}`);
}

/** A path in a folder in which Claude Code keeps its plans and notes. */
const notesPathPattern = /\/\.claude\/(?:plans|projects)\//;
const temporaryPathPattern = /^(?:\/private)?\/(?:tmp|var\/folders)(?:\/|$)/;

/** Whether a path is in a folder in which the agent keeps its own plans and notes. */
export function isAgentNote(path: string): boolean {
	return notesPathPattern.test(path);
}

/** Whether a path is a folder for temporary files, or in one, or one of the agent's own notes. */
export function isTemporary(path: string): boolean {
	return temporaryPathPattern.test(path) || isAgentNote(path);
}

/** A file with a project's local settings and secrets: `.env`, `.env.local`, but not `.env.example`. */
const environmentFilePattern = /^\.env(?:\.(?!example|sample|template|dist)[\w.-]{1,60})?$/;

/** Whether git ignores a file by convention, because it has a project's local settings and secrets. */
export function isEnvironmentFile(path: string): boolean {
	return environmentFilePattern.test(getFileName(path));
}

/** Whether a path as a command names it, perhaps relative to another folder, is a file or a folder that contains it. */
export function mayContain(named: string, path: string): boolean {
	return `/${path}/`.includes(`/${named.replace(/^(?:\.{1,2}\/)+|\/$/g, '')}/`);
}

/** Names of folders, and files that lock versions, which a build, an installation or a test run creates again. */
const generatedNamePattern =
	/^(?:node_modules|dist|build|out|obj|target|coverage|venv|\.venv|__pycache__|\.(?:next|nuxt|turbo|cache|\w{1,20}_cache|parcel-cache|gradle|godot|terraform(?:\.lock\.hcl)?)|package-lock\.json|(?:yarn|bun|Cargo|poetry|uv)\.lock|pnpm-lock\.yaml)$/;

/** Whether a file or folder is one that programs create again. */
export function isGenerated(path: string): boolean {
	return generatedNamePattern.test(getFileName(path));
}

/** Whether a file or folder is in a folder that programs create again. */
export function isInGeneratedFolder(path: string): boolean {
	const folders = path.split('/').slice(0, -1);
	return folders.some((name) => generatedNamePattern.test(name));
}
