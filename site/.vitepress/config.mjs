/** The documentation as a static site: `npm run site` builds the pages of docs/ into site/dist/. */

import { cpSync, rmSync } from 'node:fs';
import { defineConfig } from 'vitepress';

// A copy, because pages outside of this folder would not find its packages.
const copy = new URL('../pages/', import.meta.url);
rmSync(copy, { recursive: true, force: true });
cpSync(new URL('../../docs/', import.meta.url), copy, { recursive: true });

const sidebar = [
	{
		text: 'Start',
		items: [
			{ text: 'Getting started', link: '/getting-started' },
			{ text: 'What setup writes', link: '/setup' },
			{ text: 'Privacy and security', link: '/privacy' },
			{ text: 'Commands', link: '/commands' },
			{ text: 'Troubleshooting', link: '/troubleshooting' },
		],
	},
	{
		text: 'Agents and editors',
		items: [
			{ text: 'Claude Code', link: '/claude-code' },
			{ text: 'OpenCode and pi', link: '/agents' },
			{ text: 'Editors', link: '/editors' },
			{ text: 'The meter in one line', link: '/status-line' },
			{ text: 'Transcripts of other agents', link: '/transcripts' },
		],
	},
	{
		text: 'In depth',
		items: [
			{ text: 'How compaction decides', link: '/compaction' },
			{ text: 'Models for summaries', link: '/models' },
			{ text: 'Sessions in a terminal', link: '/sessions' },
			{ text: 'The daemon', link: '/daemon' },
			{ text: 'What compactions preserve', link: '/eval' },
			{ text: 'Differences', link: '/differences' },
		],
	},
	{
		text: 'For developers',
		items: [
			{ text: 'Connect your own agent', link: '/guide' },
			{ text: 'Protocol and settings', link: '/protocol' },
			{ text: 'The kit', link: '/kit' },
			{ text: "A plugin's channel", link: '/channel' },
		],
	},
];

export default defineConfig({
	srcDir: './pages',
	outDir: './dist',
	cacheDir: './node_modules/.cache',
	title: 'contextd',
	description:
		"Shows how full a coding agent's context window is, compacts it without a model call, and undoes it.",
	cleanUrls: true,
	rewrites: { 'getting-started.md': 'index.md' },
	// Links to files of the repository that are no pages.
	ignoreDeadLinks: [/^\.\/\.\.\/|^\.\.\//, /protocol\.schema\.json$/],
	markdown: {
		html: false,
		config(md) {
			// Vue would evaluate {{ }} in inline code.
			md.renderer.rules.code_inline = (tokens, index) =>
				`<code v-pre>${md.utils.escapeHtml(tokens[index].content)}</code>`;
		},
	},
	themeConfig: {
		sidebar,
		outline: [2, 3],
		search: { provider: 'local' },
		socialLinks: [],
	},
});
