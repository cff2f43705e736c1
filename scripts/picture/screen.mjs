/** A terminal's screen as a picture. */

const cell = { width: 8.4, height: 19 };
const margin = { left: 12, top: 26 };
const plain = '#d0d0d0';
/** The sixteen colours that programs name by number, dark ones first. */
const named =
	'#1c1c1c #d75f5f #5faf5f #d7af5f #5f87d7 #af87d7 #5fafaf #d0d0d0 #808080 #ff8787 #87d787 #ffd787 #87afff #d7afff #87d7d7 #ffffff'.split(
		' ',
	);
/** Signs that many fonts lack, and what looks alike. */
const alike = { '⎿': '└', '⏸': '‖' };

/** One of the 256 colours. */
function indexed(number) {
	if (number < 16) return named[number];
	const steps = [0, 95, 135, 175, 215, 255];
	const levels =
		number >= 232
			? Array(3).fill(8 + 10 * (number - 232))
			: [36, 6, 1].map((unit) => steps[Math.floor((number - 16) / unit) % 6]);
	return rgb(levels);
}

function rgb(levels) {
	return `#${levels.map((level) => Number(level).toString(16).padStart(2, '0')).join('')}`;
}

/** The style after a sequence of codes that set colours and weights. */
function styled(style, codes) {
	const next = { ...style };
	for (let at = 0; at < codes.length; at++) {
		const code = codes[at];
		if (code === 0) Object.assign(next, { fill: plain, isBold: false, isDim: false });
		else if (code === 1) next.isBold = true;
		else if (code === 2) next.isDim = true;
		else if (code === 22) Object.assign(next, { isBold: false, isDim: false });
		else if (code === 39) next.fill = plain;
		else if (code >= 30 && code <= 37) next.fill = named[code - 30];
		else if (code >= 90 && code <= 97) next.fill = named[code - 82];
		else if (code === 38 || code === 48) {
			const isIndexed = codes[at + 1] === 5;
			const colour = isIndexed ? indexed(codes[at + 2]) : rgb(codes.slice(at + 2, at + 5));
			if (code === 38) next.fill = colour;
			at += isIndexed ? 2 : 4;
		}
	}
	return next;
}

/** The pieces of a line that look alike, with the column that each begins at. */
function piecesOf(line) {
	const pieces = [];
	let style = { fill: plain, isBold: false, isDim: false };
	let column = 0;
	// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals begin their sequences with
	for (const [, codes, text] of line.matchAll(/\u001b\[([\d;]*)m|([^\u001b]+)/g)) {
		if (text === undefined) {
			style = styled(style, codes.split(';').map(Number));
			continue;
		}
		// Wide gaps part pieces, so that columns stand where they stood whatever font draws them.
		for (const [gap, words] of [...text.matchAll(/(\s*)(\S+(?:\s\S+)*)?/g)].map(([, ...all]) => all)) {
			column += gap.length;
			if (words === undefined) continue;
			pieces.push({ ...style, column, text: words });
			column += [...words].length;
		}
	}
	return pieces;
}

function escaped(text) {
	return text
		.replace(/./gu, (sign) => alike[sign] ?? sign)
		.replaceAll('&', '&amp;')
		.replaceAll('<', '&lt;');
}

function textOf({ column, text, fill, isBold, isDim }, row) {
	const x = (margin.left + column * cell.width).toFixed(1);
	const y = margin.top + row * cell.height;
	const width = ([...text].length * cell.width).toFixed(1);
	const weight = `${isBold ? ' font-weight="bold"' : ''}${isDim ? ' opacity="0.6"' : ''}`;
	return `<text x="${x}" y="${y}" fill="${fill}"${weight} textLength="${width}" lengthAdjust="spacingAndGlyphs">${escaped(text)}</text>`;
}

/** A line that is drawn across stays one, whatever font draws it. */
function ruleOf({ column, text, fill }, row) {
	const y = margin.top + row * cell.height - 5;
	const x = margin.left + column * cell.width;
	return `<line x1="${x.toFixed(1)}" x2="${(x + [...text].length * cell.width).toFixed(1)}" y1="${y}" y2="${y}" stroke="${fill}"/>`;
}

/**
 * The picture of a screen, as SVG.
 * @param {string[]} lines as `tmux capture-pane -e` gives them; empty ones at the end are left out
 * @param {{ columns: number, label: string }} options `label` is what those are told who do not see it
 */
export function drawScreen(lines, { columns, label }) {
	const shown = lines.slice(0, lines.findLastIndex((line) => piecesOf(line).length > 0) + 1);
	const width = columns * cell.width + 2 * margin.left;
	const height = (shown.length - 1) * cell.height + 2 * margin.top - 8;
	const drawn = shown.flatMap((line, row) =>
		piecesOf(line).map((piece) => (/^─+$/.test(piece.text) ? ruleOf(piece, row) : textOf(piece, row))),
	);
	return [
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(label)}">`,
		`<rect width="100%" height="100%" rx="8" fill="${named[0]}"/>`,
		'<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" xml:space="preserve">',
		...drawn,
		'</g>',
		'</svg>',
		'',
	].join('\n');
}
