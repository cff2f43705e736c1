import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { realAgents } from '../agents/agents.ts';
import { freshFolder, removeFolders } from '../support/app.ts';
import { needsPosix } from '../support/needs.ts';

afterEach(removeFolders);

const isPosix = process.platform !== 'win32';

it.skipIf(!isPosix)(
	'npm run test:newest announces the newest version of each agent, and the pinned one',
	isPosix ? {} : needsPosix,
	() => {
		const folder = freshFolder();
		writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "9.9.9"\n', { mode: 0o755 });
		const path = [folder, process.env.PATH].join(delimiter);
		const { stdout: lines } = spawnSync(process.execPath, ['scripts/newestAgents.mjs'], {
			encoding: 'utf8',
			env: { PATH: path },
		});
		for (const { packageName } of realAgents) {
			const at = packageName.lastIndexOf('@');
			expect(lines).toContain(`${packageName.slice(0, at)} 9.9.9 (pinned: ${packageName.slice(at + 1)})\n`);
		}
	},
);
