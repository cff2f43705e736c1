/**
 * Runs the evaluation of `test/eval/` on the source of this checkout: `npm run eval -- [--json] [FOLDER]`.
 * `docs/eval.md` describes the measures and the content of the folder.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { bundleSource } from './bundleSource.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = `${root}/node_modules/.cache/contextd/eval.mjs`;
await bundleSource(`${root}/test/eval/main.ts`, outfile);
const { status } = spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { stdio: 'inherit' });
process.exitCode = status ?? 1;
