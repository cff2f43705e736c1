/** Entry of `sqlite.cjs`: sql.js, with the WebAssembly that the build compressed into the same folder. */

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { brotliDecompressSync } = require('node:zlib');
const initSqlJs = require('sql.js');

module.exports = () =>
	initSqlJs({ wasmBinary: brotliDecompressSync(readFileSync(join(__dirname, 'sql-wasm.wasm.br'))) });
