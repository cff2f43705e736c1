/**
 * Draws the pictures of docs/getting-started.md from the output of real commands: `npm run pictures`, after `npm run
 * build`. With `--check`, writes nothing and fails if a picture is outdated.
 *
 * Puts dummy programs on the PATH, so that `setup` finds the same agents and editors on every machine.
 */

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeGeneratedFiles } from './generatedFiles.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const columns = 80;
/** Size of a character in pixels. */
const cell = { width: 8.4, height: 20 };
const margin = 16;
const colours = {
	1: '#ffffff',
	30: '#767676',
	31: '#f2777a',
	32: '#99cc99',
	33: '#ffcc66',
	34: '#6699cc',
	35: '#cc99cc',
	36: '#66cccc',
	90: '#8a8a8a',
	94: '#8fb8e8',
};
const defaultColour = '#d0d0d0';
const escapeXml = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
const esc = String.fromCharCode(27);

/** Splits a line with escape codes into words of one colour, each with its column. */
function splitByColour(line) {
	const words = [];
	let column = 0;
	let colour = defaultColour;
	for (const span of line.split(new RegExp(`(${esc}\\[[\\d;]*m)`))) {
		if (span.startsWith(esc)) {
			const code = span.slice(2, -1);
			colour = code === '0' ? defaultColour : (colours[code.split(';').at(-1)] ?? colour);
			continue;
		}
		for (const { 0: text, index } of span.matchAll(/\S+(?: \S+)*/g))
			words.push({ column: column + [...span.slice(0, index)].length, colour, text });
		column += [...span].length;
	}
	return words;
}

/** Draws a terminal that shows a command and its output. Returns SVG. */
function drawTerminal(command, output, label) {
	const lines = [`${esc}[32m$${esc}[0m ${esc}[1m${command}${esc}[0m`, ...output.trimEnd().split('\n')];
	const width = Math.ceil(columns * cell.width + 2 * margin);
	const height = lines.length * cell.height + 2 * margin;
	const texts = lines.flatMap((line, row) =>
		splitByColour(line).map(({ column, colour, text }) => {
			const x = (margin + column * cell.width).toFixed(1);
			const y = margin + row * cell.height + 15;
			const length = ([...text].length * cell.width).toFixed(1);
			return `<text x="${x}" y="${y}" fill="${colour}" textLength="${length}" lengthAdjust="spacingAndGlyphs">${escapeXml(text)}</text>`;
		}),
	);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(label)}">`,
		'<rect width="100%" height="100%" rx="8" fill="#1c1c1c"/>',
		'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
		...texts,
		'</g>',
		'</svg>',
		'',
	].join('\n');
}

/** For each picture: the command, how many lines of its output are shown, and a description of the picture. */
const pictures = {
	'start-meter': {
		command: 'contextd stats examples/session.jsonl',
		lines: 15,
		label: 'The meter: 40% of the window is used, half of it by tool results',
	},
	'start-compact': {
		command: 'contextd compact examples/session.jsonl',
		lines: 18,
		label: 'What a compaction would remove, and the summary that it would write',
	},
	'start-setup': {
		command: 'contextd setup',
		lines: 7,
		label: 'What setup found, and what each part gets',
	},
};

// Not in the folder that TMPDIR names: the command wraps lines with a long path, before the path is replaced by "~".
const home = mkdtempSync('/tmp/c');
const bin = path.join(home, 'bin');
mkdirSync(bin);
for (const name of ['contextd', 'opencode', 'pi', 'tmux', 'nvim']) {
	writeFileSync(path.join(bin, name), '#!/bin/sh\necho 1.0.0\n');
	chmodSync(path.join(bin, name), 0o755);
}
writeFileSync(path.join(home, '.bashrc'), '');
const env = { HOME: home, PATH: bin, SHELL: '/bin/bash', COLUMNS: String(columns), FORCE_COLOR: '1' };
const texts = {};
try {
	for (const [name, { command, lines, label }] of Object.entries(pictures)) {
		const args = [path.join(root, 'dist/contextd.cjs'), ...command.split(' ').slice(1)];
		const { status, stdout, stderr } = spawnSync(process.execPath, args, {
			cwd: root,
			env,
			encoding: 'utf8',
		});
		if (status !== 0) throw new Error(`${command}: ${stderr}`);
		const output = stdout.replaceAll(home, '~').split('\n').slice(0, lines).join('\n');
		texts[`docs/images/${name}.svg`] = drawTerminal(command, output, label);
	}
	await writeGeneratedFiles(texts, 'pictures');
} finally {
	rmSync(home, { recursive: true, force: true });
}
