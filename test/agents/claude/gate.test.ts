/** The interface for mods is early access: if a version changes it, exactly these tests fail. */

import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { needs } from '../../support/needs.ts';
import { claudeCode } from '../agents.ts';
import { findAgent } from '../install.ts';
import { faultsOf } from './gate.ts';

const found = await findAgent(claudeCode);
const isMissing = 'missing' in found;
const name = isMissing ? 'Claude Code' : found.installed.packageName;

describe.skipIf(isMissing)(`the interface for mods of ${name}`, isMissing ? needs(found.missing) : {}, () => {
	const faults = (change?: (mod: string) => Promise<void>) => {
		if (isMissing) throw new Error(found.missing);
		return faultsOf(found.installed, change);
	};

	it('the interface for mods has everything that contextd uses', { timeout: 120_000 }, async () => {
		expect(await faults(), `what ${name} does otherwise`).toEqual([]);
	});

	it('the check of the interface for mods names a missing event', {
		timeout: 120_000,
	}, async () => {
		const missed = await faults(async (mod) => {
			const text = await readFile(mod, 'utf8');
			expect(text).toContain('"session.compact"');
			await writeFile(mod, text.replaceAll('"session.compact"', '"session.compacted"'));
		});
		expect(missed.join('\n')).toContain('session.compact: ');
	});
});
