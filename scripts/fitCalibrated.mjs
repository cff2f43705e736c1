/**
 * Fits the weights of the calibrated estimate (server/core/measure/text/calibratedWeights.json) to the exact counter. Prints the
 * error by type of content, measured on texts that were not used for the fit.
 *
 *   node scripts/fitCalibrated.mjs <folder> [more folders]
 *
 * The folders may contain recorded sessions (.jsonl, with one message per line) and other text files (.md, .txt, source code,
 * .json). Generated texts are added for types that are rare in such folders. Texts are split into samples of 4 Ki UTF-16 units; a
 * quarter of the files is not used for the fit.
 *
 * The estimate is linear in the steps of the automaton, so the fit is a weighted least squares in two stages. The first stage fits
 * a weight for each class of units, with separate weights for the first unit of a run. The second stage fits a weight for each
 * step; for rare steps it stays close to the weight of the first stage (ridge regression).
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { importSource } from './bundleSource.mjs';
import { buildStates } from './calibratedAutomaton.mjs';
import { writeRanks } from './ranks.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const weightsFile = path.join(root, 'server/core/measure/text/calibratedWeights.json');
const ranksFolder = path.join(root, 'node_modules/.cache/contextd');

const sampleUnits = 4096;
/** UTF-16 units of a content type above which its samples get a lower weight. */
const fullWeightUnits = 300_000;
/** Maximum UTF-16 units of a type of content. */
const maxUnitsOfType = 4_000_000;
/** UTF-16 units of generated text for the fit, by type. */
const generatedUnits = 120_000;
/** Strength of the ridge regression: how closely the weight of a rare step follows the weight of the first stage. */
const ridgeStrength = 40;
/** Tokens below which smaller samples get no higher weight, because rounding dominates their error. */
const smallSampleTokens = 50;

const extensionsByType = {
	markdown: '.md .txt',
	'json files': '.json',
	code: '.ts .mts .js .mjs .cjs .py .rs .go .css',
	markup: '.yml .yaml .html .svg',
};
const typeOfExtension = Object.fromEntries(
	Object.entries(extensionsByType).flatMap(([type, all]) => all.split(' ').map((one) => [one, type])),
);

await main(process.argv.slice(2));

async function main(folders) {
	if (folders.length === 0)
		throw new Error('Expected folders with texts: node scripts/fitCalibrated.mjs <folder>');
	const counting = await loadCounting();
	await writeRanks(ranksFolder);
	const samples = limitTypes([...(await readSamples(folders)), ...generateSamples(counting)]);
	const fittedSamples = samples.filter(({ isHeldOut }) => !isHeldOut);
	const heldOutSamples = samples.filter(({ isHeldOut }) => isHeldOut);
	const fitted = Object.fromEntries(counting.states.map(({ name, next }) => [name, { next }]));
	for (const vocabulary of ['o200k', 'claude2']) {
		const counter = await counting.loadCounter(ranksFolder, vocabulary);
		for (const sample of samples) sample.tokens = counter.count(sample.text);
		const stepWeights = fitWeights(fittedSamples, counting);
		printErrors(vocabulary, heldOutSamples, stepWeights, counting);
		counting.states.forEach(({ name }, state) => {
			fitted[name][vocabulary] = [...stepWeights.subarray(state * 16, state * 16 + counting.classCount)];
		});
	}
	await writeFile(weightsFile, `${JSON.stringify(fitted)}\n`);
	console.log(`\nWritten: ${weightsFile}. Format it with biome.`);
}

/** Loads contextd's counter, the automaton, and the generator of texts. */
async function loadCounting() {
	const counting = await importSource(`
		export * from './server/core/measure/text/automaton.ts';
		export { loadCounter } from './server/node/measures.ts';
		export * from './test/support/generatedText.ts';
	`);
	const states = buildStates(counting.unitClassNames);
	const nextStates = new Uint8Array(states.length * 16);
	states.forEach(({ next }, state) => void nextStates.set(next, state * 16));
	return {
		...counting,
		states,
		nextStates,
		stepCount: nextStates.length,
		unitClasses: counting.classifyUnits(),
		classCount: counting.unitClassNames.length,
	};
}

async function readSamples(folders) {
	const samples = [];
	let fileNumber = 0;
	for (const folder of folders) {
		const names = await readdir(folder, { recursive: true });
		for (const name of names.sort()) {
			const extension = path.extname(name);
			if (extension !== '.jsonl' && !typeOfExtension[extension]) continue;
			const content = await readFile(path.join(folder, name), 'utf8').catch((error) => {
				if (error.code === 'EISDIR') return '';
				throw error;
			});
			const texts =
				extension === '.jsonl'
					? listSessionTexts(content)
					: [{ type: typeOfExtension[extension], text: content }];
			const isHeldOut = fileNumber++ % 4 === 0;
			for (const { type, text } of texts) samples.push(...splitIntoSamples(type, text, isHeldOut));
		}
	}
	return samples;
}

function listSessionTexts(content) {
	const texts = [];
	for (const line of content.split('\n')) {
		if (!line.startsWith('{')) continue;
		const message = JSON.parse(line);
		const type = message.role === 'tool' ? 'tool results' : 'conversation';
		for (const text of collectStrings(message.content)) texts.push({ type, text });
		for (const text of collectStrings(message.toolCalls)) texts.push({ type: 'tool arguments', text });
	}
	return texts;
}

function collectStrings(value) {
	if (typeof value === 'string') return [value];
	if (value === null || typeof value !== 'object') return [];
	return Object.values(value).flatMap(collectStrings);
}

function generateSamples({ generatedTypes, generatedText }) {
	return generatedTypes.flatMap((type) => [
		...splitIntoSamples(type, generatedText(type, 1, generatedUnits), false),
		...splitIntoSamples(type, generatedText(type, 2, generatedUnits / 3), true),
	]);
}

function splitIntoSamples(type, text, isHeldOut) {
	const samples = [];
	for (let start = 0; start < text.length; start += sampleUnits)
		samples.push({ type, isHeldOut, text: text.slice(start, start + sampleUnits) });
	return samples;
}

/** Removes samples of types that have too many, evenly over all samples of the type. */
function limitTypes(samples) {
	const units = countUnitsByType(samples);
	const counts = {};
	return samples.filter((sample) => {
		const share = Math.min(1, maxUnitsOfType / units[sample.type]);
		const number = counts[sample.type] ?? 0;
		counts[sample.type] = number + 1;
		return Math.floor((number + 1) * share) > Math.floor(number * share);
	});
}

function countUnitsByType(samples) {
	const units = {};
	for (const { type, text } of samples) units[type] = (units[type] ?? 0) + text.length;
	return units;
}

/** Counts how often each step of the automaton occurs in a text. Returns pairs of a step and its count. */
function countSteps(text, { unitClasses, nextStates, classBits, stepCount }) {
	const counts = new Map();
	let state = 0;
	for (let index = 0; index < text.length; index++) {
		const step = (state << classBits) | unitClasses[text.charCodeAt(index)];
		counts.set(step, (counts.get(step) ?? 0) + 1);
		state = nextStates[step];
	}
	if (counts.size > stepCount) throw new Error('The automaton has left its table.');
	return [...counts];
}

function fitWeights(samples, counting) {
	const units = countUnitsByType(samples);
	const rows = samples.map((sample) => ({
		steps: countSteps(sample.text, counting),
		tokens: sample.tokens,
		weight:
			Math.min(3, Math.max(0.3, fullWeightUnits / units[sample.type])) /
			Math.max(smallSampleTokens, sample.tokens),
	}));
	const coarse = fitLeastSquares(
		rows.map((row) => ({ ...row, steps: toCoarseSteps(row.steps, counting) })),
		2 * counting.classCount,
		new Float64Array(2 * counting.classCount),
		1,
	);
	const prior = new Float64Array(counting.stepCount);
	for (let step = 0; step < counting.stepCount; step++) {
		if (step % 16 < counting.classCount) prior[step] = coarse[toCoarseStep(step, counting)];
	}
	const weights = fitLeastSquares(rows, counting.stepCount, prior, ridgeStrength);
	return weights.map((weight) => Number(weight.toFixed(3)));
}

/** Returns the first stage's feature for a step: the class of the unit, and whether it begins a run. */
function toCoarseStep(step, { nextStates, states, classCount }) {
	const beginsRun = states[nextStates[step]].name.endsWith(' 1') && nextStates[step] !== step >> 4;
	return (step & 15) + (beginsRun ? classCount : 0);
}

function toCoarseSteps(steps, counting) {
	const numbers = new Map();
	for (const [step, number] of steps) {
		const coarse = toCoarseStep(step, counting);
		numbers.set(coarse, (numbers.get(coarse) ?? 0) + number);
	}
	return [...numbers];
}

function printErrors(vocabulary, samples, weights, counting) {
	console.log(
		`\n${vocabulary}, held out: type, samples of 50 tokens and more, error of the sum, mean, 5 % and 95 %`,
	);
	for (const [type, samplesOfType] of Object.entries(groupByType(samples))) {
		const errors = [];
		let estimatedSum = 0;
		let exactSum = 0;
		for (const { text, tokens } of samplesOfType) {
			const estimate = countSteps(text, counting).reduce(
				(sum, [step, number]) => sum + number * weights[step],
				0,
			);
			estimatedSum += estimate;
			exactSum += tokens;
			if (tokens >= smallSampleTokens) errors.push(estimate / tokens - 1);
		}
		errors.sort((a, b) => a - b);
		const mean = errors.reduce((sum, error) => sum + Math.abs(error), 0) / errors.length;
		const quantile = (share) => errors[Math.floor(share * errors.length)];
		const figures = [estimatedSum / exactSum - 1, mean, quantile(0.05), quantile(0.95)].map(
			(error) => `${(100 * error).toFixed(1)} %`,
		);
		console.log(
			type.padEnd(20),
			String(errors.length).padStart(6),
			...figures.map((figure) => figure.padStart(9)),
		);
	}
}

function groupByType(samples) {
	const groups = {};
	for (const sample of samples) {
		groups[sample.type] ??= [];
		groups[sample.type].push(sample);
	}
	return groups;
}

/**
 * Returns the weights of `size` features that minimize the weighted square error over `rows`, plus `ridge` times the square of
 * their distance from `prior`. A row has the counts of its features (`steps`), the target (`tokens`), and the weight of its error
 * (`weight`).
 */
function fitLeastSquares(rows, size, prior, ridge) {
	const matrix = Array.from({ length: size }, () => new Float64Array(size));
	const right = new Float64Array(size);
	for (const { steps, tokens, weight } of rows) {
		let residual = tokens;
		for (const [step, number] of steps) residual -= number * prior[step];
		for (const [step, number] of steps) {
			right[step] += weight * number * residual;
			const row = matrix[step];
			for (const [other, otherNumber] of steps) row[other] += weight * number * otherNumber;
		}
	}
	for (let i = 0; i < size; i++) matrix[i][i] += ridge;
	return solve(matrix, right).map((value, step) => value + prior[step]);
}

/** Solves a system with a symmetric positive definite matrix by Cholesky's decomposition, in place. */
function solve(matrix, right) {
	const size = right.length;
	for (let i = 0; i < size; i++) {
		for (let j = 0; j <= i; j++) {
			let sum = matrix[i][j];
			for (let k = 0; k < j; k++) sum -= matrix[i][k] * matrix[j][k];
			matrix[i][j] = i === j ? Math.sqrt(sum) : sum / matrix[j][j];
		}
	}
	const half = new Float64Array(size);
	for (let i = 0; i < size; i++) {
		let sum = right[i];
		for (let k = 0; k < i; k++) sum -= matrix[i][k] * half[k];
		half[i] = sum / matrix[i][i];
	}
	const solution = new Float64Array(size);
	for (let i = size - 1; i >= 0; i--) {
		let sum = half[i];
		for (let k = i + 1; k < size; k++) sum -= matrix[k][i] * solution[k];
		solution[i] = sum / matrix[i][i];
	}
	return solution;
}
