import { visit } from './syntax.mjs';

/** Blanks the frame of a comment. All other characters keep their offsets. */
function withoutFrame(comment) {
	return comment.replaceAll(/^[ \t]*\*/gm, (frame) => ' '.repeat(frame.length));
}

/** Joins line comments that follow each other, because a sentence may span several. */
function joinLines(comments, source) {
	const joined = [];
	for (const { type, value, start, end } of comments) {
		const last = joined.at(-1);
		const gap = last === undefined ? '' : source.slice(last.end, start);
		if (type === 'Line' && last?.type === 'Line' && gap.trim() === '') {
			Object.assign(last, { end, text: `${last.text}${gap}  ${value}` });
		} else joined.push({ type, start, end, text: `  ${withoutFrame(value)}` });
	}
	return joined;
}

/** Returns the name that a call begins with: `it` for `it.each(rows)('title', run)`. */
function calledName({ name, callee, object, tag }) {
	const inner = callee ?? object ?? tag;
	return inner === undefined ? name : calledName(inner);
}

function titlesIn({ program, source }) {
	const titles = [];
	visit(program, (node) => {
		if (node.type !== 'CallExpression' || !['describe', 'it', 'test'].includes(calledName(node))) return;
		const [title] = node.arguments;
		if (title?.type !== 'Literal' && title?.type !== 'TemplateLiteral') return;
		titles.push({ start: title.start, text: source.slice(title.start, title.end) });
	});
	return titles;
}

/** Returns the comments and the test titles of a source file, each with its offset. */
export function textsOfCode(syntax) {
	return [...joinLines(syntax.comments, syntax.source), ...titlesIn(syntax)];
}

/** Returns the whole-line comments of a Lua file, with the lines of a run joined. */
export function textsOfLua(source) {
	const texts = [];
	let start = 0;
	for (const line of source.split('\n')) {
		if (/^\s*--/.test(line)) {
			const text = `${line.replace(/^\s*--+/, (sign) => ' '.repeat(sign.length))}\n`;
			const last = texts.at(-1);
			if (last !== undefined && last.start + last.text.length === start) last.text += text;
			else texts.push({ start, text });
		}
		start += line.length + 1;
	}
	return texts;
}

/** Returns an Emacs Lisp file as one text, since its docstrings are strings like any other. */
export function textsOfLisp(source) {
	return [{ start: 0, text: source.replaceAll(/^\s*;+/gm, (sign) => ' '.repeat(sign.length)) }];
}

/** Returns a Markdown page with its code blanked, which may quote other programs. */
export function textsOfPage(source) {
	let isFenced = false;
	const lines = source.split('\n').map((line) => {
		const isFence = line.trimStart().startsWith('```');
		if (isFence) isFenced = !isFenced;
		if (isFence || isFenced) return ' '.repeat(line.length);
		return line.replaceAll(/`[^`]*`/g, (code) => ' '.repeat(code.length));
	});
	return [{ start: 0, text: lines.join('\n') }];
}
