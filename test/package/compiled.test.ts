import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const history = fileURLToPath(new URL('../../examples/session.jsonl', import.meta.url));
const compiled = `compiled-${process.version}-${process.arch}.bin`;

/** Tells on the error output, when the program ends, of how many parts V8 took its own code, and of how many not. */
const telling = `
const vm = require('node:vm');
const told = { taken: 0, refused: 0, none: 0 };
const { Script } = vm;
vm.Script = class extends Script {
	constructor(text, options) {
		super(text, options);
		told[this.cachedDataRejected === undefined ? 'none' : this.cachedDataRejected ? 'refused' : 'taken']++;
	}
};
process.on('exit', () => process.stderr.write(JSON.stringify(told)));
`;

let folder: string;
let copy: string;
let original: Buffer;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'contextd-test-'));
	copy = join(folder, 'dist');
	await cp(dist, copy, { recursive: true });
	await writeFile(join(folder, 'telling.cjs'), telling);
	original = await readFile(join(dist, compiled));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the command prints, and of how many parts compiled code was taken. */
function run(...args: string[]) {
	const { status, stdout, stderr } = spawnSync(
		process.execPath,
		['--require', join(folder, 'telling.cjs'), join(copy, 'contextd.cjs'), ...args],
		{ encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder } },
	);
	return { status, stdout, told: JSON.parse(stderr) as { taken: number; refused: number; none: number } };
}

/** As the command does where nothing was compiled. */
async function plainly() {
	await rm(join(copy, compiled), { force: true });
	return run('stats', history);
}

describe('what was compiled when the program was built', () => {
	it('is taken of every part that a command reads', async () => {
		await writeFile(join(copy, compiled), original);
		const { status, told } = run('stats', history);
		expect(status).toBe(0);
		expect(told.taken).toBeGreaterThan(30);
		expect(told).toMatchObject({ refused: 0, none: 0 });
	});

	it('changes nothing of what a command says', async () => {
		const plain = await plainly();
		expect(plain.told.taken).toBe(0);
		await writeFile(join(copy, compiled), original);
		expect(run('stats', history)).toMatchObject({ status: 0, stdout: plain.stdout });
	});

	it.each([
		['empty', () => Buffer.alloc(0)],
		['cut short', () => original.subarray(0, original.length >> 1)],
		[
			'changed in one byte',
			() =>
				Buffer.from(original).fill(original.at(-1000)! ^ 1, original.length - 1000, original.length - 999),
		],
		['of zeros', () => Buffer.alloc(original.length)],
	])('is left where the file is %s', async (_, damaged) => {
		const plain = await plainly();
		await writeFile(join(copy, compiled), damaged());
		expect(run('stats', history)).toEqual(plain);
	});

	it('is left of a part that was changed since, be it as long as before', async () => {
		await writeFile(join(copy, compiled), original);
		const { version } = JSON.parse(await readFile(join(dist, '../package.json'), 'utf8'));
		const other = version.replace(/\d$/, (last: string) => `${(Number(last) + 1) % 10}`);
		const main = await readFile(join(copy, 'main.cjs'), 'utf8');
		await writeFile(join(copy, 'main.cjs'), main.replaceAll(`"${version}"`, `"${other}"`));
		const { stdout, told } = run('--version');
		await writeFile(join(copy, 'main.cjs'), main);
		expect(stdout).toBe(`contextd ${other}\n`);
		expect(told).toMatchObject({ refused: 0, none: 1 });
	});

	it('lies there once', async () => {
		const names = (await readdir(dist)).filter((name) => name.startsWith('compiled-'));
		expect(names).toEqual([compiled]);
	});
});
