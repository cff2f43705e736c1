/** Builds the plugin for Claude Code and its other files. The plugin is a module that does not use Node. */

import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Builds the plugin into a folder, from which `contextd install claude` copies it. Returns esbuild's metafile. */
export async function buildClaudePlugin(folder) {
	const { version, description, license } = JSON.parse(
		await readFile(path.join(root, 'package.json'), 'utf8'),
	);
	await rm(folder, { recursive: true, force: true });
	await cp(path.join(root, 'client-claude/files'), folder, { recursive: true });
	const plugin = path.join(folder, 'plugin');
	await mkdir(path.join(plugin, '.claude-plugin'), { recursive: true });
	const manifest = { name: 'contextd', version, description, author: { name: 'contextd' }, license };
	await writeFile(
		path.join(plugin, '.claude-plugin', 'plugin.json'),
		`${JSON.stringify(manifest, null, '\t')}\n`,
	);
	await copyFile(path.join(root, 'LICENSE'), path.join(plugin, 'LICENSE'));
	const { metafile } = await build({
		absWorkingDir: root,
		bundle: true,
		platform: 'neutral',
		format: 'esm',
		target: 'es2023',
		minifySyntax: true,
		minifyWhitespace: true,
		legalComments: 'none',
		logLevel: 'warning',
		metafile: true,
		entryPoints: ['client-claude/src/register.ts'],
		outfile: path.join(plugin, 'hooks', 'register.js'),
	});
	return metafile;
}
