/**
 * Reads the program in its parts, as `require` would, with what V8 made of them when they were built: to compile them
 * anew is a third of what a short command costs. What was made lies beside the parts, in a file that is named after the
 * Node that made it; any other Node, and one that runs with other flags, compiles for itself, as for any program.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

/** Where the code of a part lies, and the checksum (CRC-32) of the text that it was made of. */
interface CompiledPart {
	from: number;
	to: number;
	ofText: number;
}

/** What V8 made of the parts. */
interface Compiled {
	parts: Readonly<Record<string, CompiledPart>>;
	code: Buffer;
}

type Part = (
	exports: unknown,
	require: (id: string) => unknown,
	module: { exports: unknown },
	file: string,
	folder: string,
) => void;

/** What `require` lays around a module. */
const wrapper = ['(function (exports, require, module, __filename, __dirname) {', '\n})'] as const;
const isPart = /^\.\/(main(?:-[^/]+)?\.cjs)$/;

const compiled = readCompiled(join(__dirname, `compiled-${process.version}-${process.arch}.bin`));
const modules = new Map<string, { exports: unknown }>();

/**
 * Two numbers of 32 bits, little end first: the checksum of all behind it, and the length of a table in JSON; then that
 * table, then the code. Undefined where it is not there or damaged: V8 takes its own bytes on trust.
 */
function readCompiled(file: string): Compiled | undefined {
	const bytes = bytesOf(file);
	if (bytes === undefined || bytes.length < 8) return undefined;
	if (crc32(bytes.subarray(4)) !== bytes.readUInt32LE()) return undefined;
	const start = 8 + bytes.readUInt32LE(4);
	const parts = JSON.parse(bytes.toString('utf8', 8, start)) as Compiled['parts'];
	return { parts, code: bytes.subarray(start) };
}

function bytesOf(file: string): Buffer | undefined {
	try {
		return readFileSync(file);
	} catch {
		// It saves time and no more: where it cannot be read, for whatever reason, the parts are compiled.
		return undefined;
	}
}

/** Of a text, V8 would look at the length alone. */
function codeOf(name: string, text: string): Buffer | undefined {
	const part = compiled?.parts[name];
	if (compiled === undefined || part === undefined || crc32(text) !== part.ofText) return undefined;
	return compiled.code.subarray(part.from, part.to);
}

function readPart(name: string): unknown {
	const known = modules.get(name);
	if (known) return known.exports;
	const filename = join(__dirname, name);
	const text = readFileSync(filename, 'utf8');
	const cachedData = codeOf(name, text);
	const script = new Script(wrapper.join(text), { filename, cachedData });
	const module = { exports: {} };
	modules.set(name, module);
	try {
		(script.runInThisContext() as Part)(module.exports, requireOf, module, filename, __dirname);
	} catch (error) {
		modules.delete(name);
		throw error;
	}
	return module.exports;
}

function requireOf(id: string): unknown {
	const [, part] = isPart.exec(id) ?? [];
	return part === undefined ? require(id) : readPart(part);
}

readPart('main.cjs');
