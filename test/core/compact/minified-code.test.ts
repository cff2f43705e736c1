import { describe, expect, it } from 'vitest';
import { shortenMinifiedLines } from '../../../server/core/analysis/text/minifiedCode.ts';

const script = `dist/pier.js:1:${'function a(t){if(t.kind==="berth"&&!t.free){return t.next||null}var n=t.rows.map(r=>r.id);return n}'.repeat(20)}`;
const style = '.berth{color:red;margin:0 4px}.berth-free{color:green}'.repeat(40);

describe('lines of minified code', () => {
	it.each([
		['a script', script],
		['a style sheet', style],
	])('only the start of %s is kept', (_, line) => {
		const text = shortenMinifiedLines(`first line\n${line}\nlast line`);
		expect(text.split('\n')).toEqual(['first line', `${line.slice(0, 160)}…`, 'last line']);
	});

	it.each([
		['a short line of code', script.slice(0, 900)],
		['prose', 'The berth is free, and the ferry may use it if the tide allows that. '.repeat(40)],
		['JSON', JSON.stringify({ berths: Array.from({ length: 60 }, (_, id) => ({ id, free: id % 2 === 0 })) })],
		['JSON with code in it', JSON.stringify({ output: script, exit_code: 1 })],
		['a list of names', Array.from({ length: 300 }, (_, index) => `berth-${index}`).join(', ')],
		['code with usual lines', script.replaceAll(/([;{}])/g, '$1\n')],
	])('%s stays whole', (_, text) => {
		expect(shortenMinifiedLines(text)).toBe(text);
	});
});
