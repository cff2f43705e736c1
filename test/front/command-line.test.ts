import { describe, expect, it } from 'vitest';
import { parseFlags } from '../../server/core/settings/flags.ts';
import { parseCommandLine } from '../../server/front/commandLine.ts';
import { isFrontCommand } from '../../server/front/isFrontCommand.ts';

function words(text: string): string[] {
	return text === '' ? [] : text.split(' ');
}

describe('the split of command lines between front and daemon', () => {
	it.each(['', 'stats', 'compact a.jsonl', 'help', '--help', '-h', '--version', 'stat', 'stats --help'])(
		'the front runs the command line "%s"',
		(line) => expect(isFrontCommand(words(line))).toBe(true),
	);

	it.each(['--stdio', '--framing=ndjson --stdio', '--stdio --help', '--storage /x', '--log-level debug'])(
		'the daemon runs the command line "%s"',
		(line) => expect(isFrontCommand(words(line))).toBe(false),
	);

	it.each(['-V', '--hlep', '--bogus', '--framing=xml', '--storage'])(
		'a wrong flag is an error without --stdio, and a warning of the daemon with it: "%s"',
		(line) => {
			expect(isFrontCommand(words(line))).toBe(true);
			expect(() => parseCommandLine(words(line))).toThrow(expect.objectContaining({ exitCode: 2 }));
			expect(isFrontCommand(words(`--stdio ${line}`))).toBe(false);
			expect(parseFlags(words(`--stdio ${line}`)).warnings).toHaveLength(1);
		},
	);
});

describe('the parser of command lines', () => {
	it.each([
		['', { name: 'overview' }],
		['help', { name: 'help' }],
		['stats --help', { name: 'help' }],
		['--version', { name: 'version' }],
		['stats', { name: 'stats', report: 'text' }],
		['stats a.jsonl --json', { name: 'stats', file: 'a.jsonl', report: 'json' }],
		['stats --provider mistral - --model=m', { name: 'stats', file: '-', provider: 'mistral', model: 'm' }],
		['compact a --target 40000', { name: 'compact', file: 'a', target: 40_000 }],
		['compact a --target=40,000', { target: 40_000 }],
		['compact a --target 40_000', { target: 40_000 }],
		['compact a --target 40k', { target: 40_000 }],
		['compact -o out.jsonl a', { output: 'out.jsonl', file: 'a' }],
		['compact a --output -', { output: '-' }],
		['compact -- -odd-name', { file: '-odd-name' }],
	])('parses the command line "%s"', (line, expected) =>
		expect(parseCommandLine(words(line))).toMatchObject(expected),
	);

	it.each([
		['stat', 'unknown command "stat" (did you mean stats?); see contextd --help'],
		['grow', 'unknown command "grow" (expected one of stats, compact, undo, '],
		['--verbose', 'unknown flag "--verbose"; see contextd --help'],
		['--hlep', 'unknown flag "--hlep" (did you mean --help?); see contextd --help'],
		['--storage /x --compact-treshold=0.5', '"--compact-treshold" (did you mean --compact-threshold?)'],
		['--framing=xml', '--framing: expected "content-length" or "ndjson", got "xml"; see contextd --help'],
		['stats --foo', "stats: unknown option '--foo'"],
		['stats --target 5', "stats: unknown option '--target'"],
		['stats a b', 'expected one FILE, got 2'],
		['stats --model', 'stats: option'],
		['compact --target 0', 'expected a number of tokens above 0'],
		['compact --target=-5', 'expected a number of tokens above 0'],
		['compact --target 1e9', 'expected a number of tokens above 0'],
		['compact --target ,', 'expected a number of tokens above 0'],
		['compact --target 99999999999999999999', 'expected a number of tokens above 0'],
		['compact --output=', '-o needs the name of a file'],
		['compact -o - --json', 'both use the standard output'],
	])('the command line "%s" fails with one line and exit code 2', (line, problem) => {
		const parse = () => parseCommandLine(words(line));
		expect(parse).toThrow(
			expect.objectContaining({ exitCode: 2, message: expect.stringContaining(problem) }),
		);
		expect(parse).toThrow(expect.objectContaining({ message: expect.not.stringContaining('\n') }));
	});
});

it('an unknown flag is named even if --version is given too', () => {
	expect(isFrontCommand(['--pipe=x', '--version'])).toBe(true);
	expect(() => parseCommandLine(['--pipe=x', '--version'])).toThrow('unknown flag "--pipe"; see');
	expect(parseFlags(['--stdio', '--version']).warnings).toEqual(['unknown flag "--version"']);
});
