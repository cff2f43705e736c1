/** Speed and accuracy of counting tokens, compared with two other tokenizers: `npm run bench -- counting`. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { get_encoding } from 'tiktoken';
import type { TokenCounter } from '../../server/core/measure/text/sampleText.ts';
import {
	createCalibratedCount,
	createExactCount,
	createHeuristicCount,
} from '../../server/core/measure/text/textCounter.ts';
import { loadCounter } from '../../server/node/measures.ts';
import { corpusFolder, corpusTexts } from '../support/corpusTexts.ts';
import { generatedText, generatedTypes, randomFrom } from '../support/generatedText.ts';
import { ranksFolder } from '../support/ranks.ts';

/** Length of an unbroken run, in UTF-16 units, above which the other tokenizers take minutes or crash. */
const othersLimit = 20_000;
const skipped = 'minutes';

interface Measured {
	label: string;
	count: TokenCounter;
	/** Whether the time grows with the square of an unbroken run's length. */
	isQuadratic: boolean;
}

const folder = await ranksFolder();
const loadStarted = performance.now();
const o200k = await loadCounter(folder, 'o200k');
const o200kLoaded = performance.now();
const claude2 = await loadCounter(folder, 'claude2');
const claude2Loaded = performance.now();
const tiktoken = get_encoding('o200k_base');
const ordinary = { disallowedSpecial: new Set<string>() };

const exact = createExactCount(o200k);
const measured: Measured[] = [
	{ label: 'exact', count: o200k.count, isQuadratic: false },
	{ label: 'exact claude2', count: claude2.count, isQuadratic: false },
	{ label: 'or sampled', count: exact, isQuadratic: false },
	{ label: 'calibrated', count: createCalibratedCount('o200k'), isQuadratic: false },
	{ label: 'gpt-tokenizer', count: (text) => countTokens(text, ordinary), isQuadratic: true },
	{ label: 'tiktoken', count: (text) => tiktoken.encode_ordinary(text).length, isQuadratic: true },
];

/** Returns processor milliseconds, so that the figures also hold on a busy machine. */
function milliseconds(work: () => void): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
}

function median(values: number[]): number {
	return values.sort((a, b) => a - b)[values.length >> 1]!;
}

function printRow(label: string, cells: string[]): void {
	console.log(label.padEnd(22), ...cells.map((cell) => cell.padStart(14)));
}

function percent(share: number): string {
	return `${(100 * share).toFixed(2)} %`;
}

/** Measures in a new process how long the daemon takes to count a whole session for the first time. */
function printColdSession(): void {
	const types = ['prose', 'json data', 'logs', 'file listing', 'capitals'];
	const messages = Array.from({ length: 10_000 }, (_, index) => {
		return generatedText(types[index % types.length]!, index, 50 + ((index * 7919) % 500));
	});
	let tokens = 0;
	const cold = milliseconds(() => {
		for (const message of messages) tokens += exact(message);
	});
	const warm = milliseconds(() => {
		for (const message of messages) exact(message);
	});
	printRow('10,000 messages', [
		`${tokens} tokens`,
		`cold ${cold.toFixed(0)} ms`,
		`warm ${warm.toFixed(0)} ms`,
	]);
}

function printSpeeds(): void {
	console.log('\nMegabytes (UTF-8) a second of processor time, median of 5');
	printRow(
		'',
		measured.map(({ label }) => label),
	);
	const contents = generatedTypes.map((type): [string, string] => [type, generatedText(type, 11, 200_000)]);
	if (corpusFolder !== undefined)
		contents.unshift(['recorded sessions', corpusTexts().join('\n').slice(0, 2e6)]);
	for (const [label, content] of contents) {
		const bytes = Buffer.byteLength(content);
		const speeds = measured.map(({ count }) => {
			const times = Array.from({ length: 5 }, () => milliseconds(() => count(content)));
			return (bytes / 1000 / median(times)).toFixed(1);
		});
		printRow(label, speeds);
	}
}

function printWorstCases(): void {
	console.log('\nMilliseconds for one text without a break, first call');
	printRow(
		'',
		measured.map(({ label }) => label),
	);
	const random = randomFrom(5);
	const letters = Array.from({ length: 1e6 }, () => String.fromCharCode(97 + random(26))).join('');
	const texts: [string, string][] = [
		['a', 'a'.repeat(1e6)],
		['spaces', ' '.repeat(1e6)],
		['=', '='.repeat(1e6)],
		['random letters', letters],
		['ideographs', '中文字符'.repeat(250_000)],
		['base64', generatedText('base64 one line', 12, 1e6)],
		['prose', generatedText('prose', 12, 1e6)],
	];
	for (const [label, text] of texts) {
		for (const length of [1e4, 1e5, 1e6]) {
			const broken = label === 'base64' || label === 'prose';
			const cells = measured.map(({ count, isQuadratic }) =>
				isQuadratic && !broken && length > othersLimit
					? skipped
					: milliseconds(() => count(text.slice(0, length))).toFixed(1),
			);
			printRow(`${label} ${length / 1000} k`, cells);
		}
	}
}

function printHugeTexts(): void {
	console.log('\nSampled texts: error of the count, milliseconds');
	for (const [type, length] of [
		['prose', 2e5],
		['prose', 1e6],
		['logs', 1e6],
		['json data', 1e6],
		['numeric table', 1e6],
		['base64 one line', 1e6],
		['hex', 1e6],
		['text zh', 1e6],
		['rules', 1e6],
	] as const) {
		const text = generatedText(type, 13, length);
		let sampled = 0;
		const time = milliseconds(() => {
			sampled = exact(text);
		});
		printRow(`${type} ${length / 1e6} M`, [
			percent(sampled / o200k.count(text) - 1),
			`${time.toFixed(1)} ms`,
		]);
	}
	const hundred = generatedText('logs', 14, 1e7).repeat(10);
	// Makes V8 join the parts of the string now, so that this is not measured.
	hundred.charCodeAt(0);
	for (const label of ['exact or sampled', 'calibrated']) {
		const count = label === 'calibrated' ? createCalibratedCount('o200k') : exact;
		const time = milliseconds(() => count(hundred));
		printRow(`logs 100 M`, [label, `${time.toFixed(1)} ms`]);
	}
	if (corpusFolder === undefined) return;
	const recorded = corpusTexts();
	const joined = recorded.join('\n');
	for (const length of [2e5, 5e5, 1e6, 4e6]) {
		const errors: number[] = [];
		for (let start = 0; start + length <= joined.length; start += length) {
			const text = joined.slice(start, start + length);
			errors.push(exact(text) / o200k.count(text) - 1);
		}
		const worst = errors.reduce((most, error) => Math.max(most, Math.abs(error)), 0);
		const mean = errors.reduce((sum, error) => sum + Math.abs(error), 0) / errors.length;
		printRow(`sessions ${length / 1e6} M`, [
			`mean ${percent(mean)}`,
			`worst ${percent(worst)}`,
			`${errors.length}`,
		]);
	}
}

function printErrors(): void {
	console.log('\nError of the estimates against the exact count, by type of content');
	printRow('', ['o200k', 'claude2', 'heuristic']);
	for (const type of generatedTypes) {
		const text = generatedText(type, 21, 100_000);
		const error = (count: TokenCounter, truth: TokenCounter) => percent(count(text) / truth(text) - 1);
		printRow(type, [
			error(createCalibratedCount('o200k'), o200k.count),
			error(createCalibratedCount('claude2'), claude2.count),
			error(createHeuristicCount('openai'), o200k.count),
		]);
	}
}

printRow('load', [
	`o200k ${(o200kLoaded - loadStarted).toFixed(0)} ms`,
	`claude2 ${(claude2Loaded - o200kLoaded).toFixed(0)} ms`,
]);
printColdSession();
printSpeeds();
printWorstCases();
printHugeTexts();
printErrors();
