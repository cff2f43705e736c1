import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SavingsLedger } from '../../server/node/savingsLedger.ts';
import type { SessionCost } from '../../server/protocol/stats.ts';
import { silentLogger } from '../support/logger.ts';

/** Returns a ledger of savings, a function that sets the figures of a session, and the logged warnings. */
function ledgerIn(stateFolder: string, fails = false) {
	const figures = new Map<string, SessionCost>();
	const warnings: string[] = [];
	const ledger = new SavingsLedger({
		stateFolder,
		computeSavings: (id) => figures.get(id),
		now: () => 1000,
		log: { ...silentLogger, warn: (text) => void warnings.push(text) },
		...(fails && { openFile: () => Promise.reject(new Error('the disk is full')) }),
	});
	const set = async (id: string, figure: SessionCost) => {
		figures.set(id, figure);
		ledger.markChanged(id);
		await ledger.flush();
	};
	return { ledger, set, warnings };
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'savings-'));
const none = { tokens: 0 };

describe('the ledger of savings', () => {
	it('sums up the newest figure of each session in a private file', async () => {
		const folder = newFolder();
		const { ledger, set } = ledgerIn(folder);
		expect(await ledger.readTotal('a', none)).toBeUndefined();
		await set('a', { tokens: 100, usd: 1 });
		await set('b', { tokens: -30 });
		await set('a', { tokens: 250, usd: 2.5 });
		const sum = { since: 1000, tokens: 220, usd: 2.5 };
		expect(await ledger.readTotal('b', { tokens: -30 })).toEqual(sum);
		expect(await ledgerIn(folder).ledger.readTotal('c', undefined)).toEqual(sum);
		expect(await ledger.readTotal('b', { tokens: 70 })).toMatchObject({ tokens: 320 });
		if (process.platform !== 'win32') expect(statSync(join(folder, 'savings.json')).mode & 0o777).toBe(0o600);
	});

	it('forgets the name of a deleted session and keeps its savings', async () => {
		const folder = newFolder();
		const { ledger, set } = ledgerIn(folder);
		await set('secret', { tokens: 100, usd: 1 });
		await ledger.forget('secret');
		expect(readFileSync(join(folder, 'savings.json'), 'utf8')).not.toContain('secret');
		expect(await ledgerIn(folder).ledger.readTotal('a', none)).toEqual({ since: 1000, tokens: 100, usd: 1 });
	});

	it('says once that it cannot be written, and continues', async () => {
		const { ledger, set, warnings } = ledgerIn(newFolder(), true);
		await set('a', { tokens: 100 });
		await set('a', { tokens: 200 });
		expect(warnings).toEqual([expect.stringContaining('the disk is full')]);
		expect(await ledger.readTotal('a', { tokens: 200 })).toMatchObject({ tokens: 200 });
	});

	it.each(['', '{"since":', '[]', '{"since":1,"total":{"tokens":"x"},"sessions":{}}', 'null'])(
		'begins again if its file contains %j, and says so',
		async (text) => {
			const folder = newFolder();
			writeFileSync(join(folder, 'savings.json'), text);
			const { ledger, set, warnings } = ledgerIn(folder);
			expect(await ledger.readTotal('a', none)).toBeUndefined();
			await set('a', { tokens: 5 });
			expect(warnings).toHaveLength(1);
			expect(await ledgerIn(folder).ledger.readTotal('b', none)).toEqual({ since: 1000, tokens: 5 });
		},
	);
});
