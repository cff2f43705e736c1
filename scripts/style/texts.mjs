import { visit } from './files.mjs';

/** Replaces the asterisks at the start of a comment's lines with spaces, so that all other characters keep their offsets. */
function removeFrame(comment) {
	return comment.replaceAll(/^[ \t]*\*/gm, (frame) => ' '.repeat(frame.length));
}

/** Joins line comments that follow each other, because a sentence may span several. */
function joinLineComments(comments, source) {
	const joinedComments = [];
	for (const { type, value, start, end } of comments) {
		const last = joinedComments.at(-1);
		const gap = last === undefined ? '' : source.slice(last.end, start);
		if (type === 'Line' && last?.type === 'Line' && gap.trim() === '') {
			Object.assign(last, { end, text: `${last.text}${gap}  ${value}` });
		} else joinedComments.push({ type, start, end, text: `  ${removeFrame(value)}` });
	}
	return joinedComments;
}

/** Returns the first name in a call: `it` for `it.each(rows)('title', run)`. */
function getCalledName({ name, callee, object, tag }) {
	const inner = callee ?? object ?? tag;
	return inner === undefined ? name : getCalledName(inner);
}

function listTestTitles({ program, source }) {
	const titles = [];
	visit(program, (node) => {
		if (node.type !== 'CallExpression' || !['describe', 'it', 'test'].includes(getCalledName(node))) return;
		const [title] = node.arguments;
		if (title?.type !== 'Literal' && title?.type !== 'TemplateLiteral') return;
		titles.push({ start: title.start, text: source.slice(title.start, title.end) });
	});
	return titles;
}

/** Returns the comments and the test titles of a source file, each with its offset. */
export function listCodeTexts(syntax) {
	return [...joinLineComments(syntax.comments, syntax.source), ...listTestTitles(syntax)];
}

/** Returns the comments of a Lua file that fill whole lines; consecutive lines are joined. */
export function listLuaTexts(source) {
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

/** Returns an Emacs Lisp file as one text, because docstrings and other strings look the same. */
export function listLispTexts(source) {
	return [{ start: 0, text: source.replaceAll(/^\s*;+/gm, (sign) => ' '.repeat(sign.length)) }];
}

/** Returns a Markdown page with spaces instead of code, which may quote other programs. */
export function listPageTexts(source) {
	let isFenced = false;
	const lines = source.split('\n').map((line) => {
		const isFence = line.trimStart().startsWith('```');
		if (isFence) isFenced = !isFenced;
		if (isFence || isFenced) return ' '.repeat(line.length);
		return line.replaceAll(/`[^`]*`/g, (code) => ' '.repeat(code.length));
	});
	return [{ start: 0, text: lines.join('\n') }];
}
