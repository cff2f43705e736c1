import { describe, expect, it } from 'vitest';
import {
	isOwnChange,
	isStale,
	type KnownFile,
	type KnownRead,
} from '../../../server/core/files/knownFile.ts';

const read = (more: Partial<KnownRead> = {}): KnownRead => ({ seq: 2, named: true, at: 1000, ...more });
const known = (more: Partial<KnownFile> = {}): KnownFile => ({ reads: [], noticedAt: 5000, ...more });
const edit = (more: Partial<KnownFile['edit'] & object> = {}) => ({
	seq: 4,
	callId: 'e',
	isOpen: false,
	at: 3000,
	...more,
});
const facts = (contentHash: string, modifiedAt: number) => ({ contentHash, modifiedAt });

describe('a read', () => {
	it('is not stale while nothing has happened', () => {
		expect(isStale(read(), known())).toBe(false);
	});

	it('is stale when other bytes are there, whatever their date', () => {
		expect(isStale(read({ contentHash: 'a' }), known({ now: facts('b', 1) }))).toBe(true);
		expect(isStale(read({ contentHash: 'a' }), known({ now: facts('a', 9000) }))).toBe(false);
	});

	it('whose bytes nobody told is stale when the file was written later', () => {
		expect(isStale(read(), known({ now: facts('b', 2000) }))).toBe(true);
		expect(isStale(read(), known({ now: facts('b', 900) }))).toBe(false);
	});

	it('is stale when the file is gone', () => {
		expect(isStale(read({ contentHash: 'a' }), known({ now: 'gone' }))).toBe(true);
	});

	it('is superseded, not stale, when the agent itself changed the file', () => {
		const before = read({ contentHash: 'a' });
		expect(isStale(before, known({ now: facts('b', 2900), edit: edit() }))).toBe(false);
		expect(isStale(before, known({ now: facts('b', 9000), edit: edit({ isOpen: true }) }))).toBe(false);
		expect(isStale(before, known({ now: 'gone', noticedAt: 3100, edit: edit() }))).toBe(false);
	});

	it('is stale when the file changed after the agent’s edit, or the edit came before the read', () => {
		const before = read({ contentHash: 'a' });
		expect(isStale(before, known({ now: facts('b', 3500), edit: edit() }))).toBe(true);
		expect(isStale(before, known({ now: facts('b', 2900), edit: edit({ seq: 1 }) }))).toBe(true);
	});
});

it('takes for the agent’s own change what happens while its edit is open, or before its result came', () => {
	expect(isOwnChange(known({ now: facts('b', 2900) }))).toBe(false);
	expect(isOwnChange(known({ now: facts('b', 2900), edit: edit() }))).toBe(true);
	expect(isOwnChange(known({ now: facts('b', 3100), edit: edit() }))).toBe(false);
	expect(isOwnChange(known({ now: 'gone', noticedAt: 9000, edit: edit() }))).toBe(false);
});

it('takes a change for the agent’s own if the file system dates it within the millisecond of the result', () => {
	expect(isOwnChange(known({ now: facts('b', 3000.97), edit: edit() }))).toBe(true);
	expect(isOwnChange(known({ now: facts('b', 3001), edit: edit() }))).toBe(false);
});

it('takes a deletion for the agent’s own although a busy machine reports it seconds later', () => {
	expect(isOwnChange(known({ now: 'gone', noticedAt: 6000, edit: edit() }))).toBe(true);
});
