import { describe, expect, it } from 'vitest';
import {
	isOwnChange,
	isStale,
	type KnownFile,
	type KnownRead,
} from '../../../server/core/files/knownFile.ts';

const read = (more: Partial<KnownRead> = {}): KnownRead => ({ seq: 2, isNamed: true, at: 1000, ...more });
const known = (more: Partial<KnownFile> = {}): KnownFile => ({ reads: [], noticedAt: 5000, ...more });
const edit = (more: Partial<KnownFile['edit'] & object> = {}) => ({
	seq: 4,
	callId: 'e',
	isOpen: false,
	at: 3000,
	...more,
});
const facts = (contentHash: string, modifiedAt: number) => ({ contentHash, modifiedAt });

describe('a read of a file', () => {
	it('a read is not stale while nothing changed', () => {
		expect(isStale(read(), known())).toBe(false);
	});

	it('a read is stale if the content differs, regardless of its date', () => {
		expect(isStale(read({ contentHash: 'a' }), known({ latestFacts: facts('b', 1) }))).toBe(true);
		expect(isStale(read({ contentHash: 'a' }), known({ latestFacts: facts('a', 9000) }))).toBe(false);
	});

	it('a read is stale if its hash is unknown and the file was written later', () => {
		expect(isStale(read(), known({ latestFacts: facts('b', 2000) }))).toBe(true);
		expect(isStale(read(), known({ latestFacts: facts('b', 900) }))).toBe(false);
	});

	it('a read is stale if the file is gone', () => {
		expect(isStale(read({ contentHash: 'a' }), known({ latestFacts: 'gone' }))).toBe(true);
	});

	it('a read is superseded, not stale, if the agent itself changed the file', () => {
		const before = read({ contentHash: 'a' });
		expect(isStale(before, known({ latestFacts: facts('b', 2900), edit: edit() }))).toBe(false);
		expect(isStale(before, known({ latestFacts: facts('b', 9000), edit: edit({ isOpen: true }) }))).toBe(
			false,
		);
		expect(isStale(before, known({ latestFacts: 'gone', noticedAt: 3100, edit: edit() }))).toBe(false);
	});

	it("a read is stale if the file changed after the agent's edit, or the edit preceded the read", () => {
		const before = read({ contentHash: 'a' });
		expect(isStale(before, known({ latestFacts: facts('b', 3500), edit: edit() }))).toBe(true);
		expect(isStale(before, known({ latestFacts: facts('b', 2900), edit: edit({ seq: 1 }) }))).toBe(true);
	});
});

it("changes during an open edit or before its result count as the agent's own", () => {
	expect(isOwnChange(known({ latestFacts: facts('b', 2900) }))).toBe(false);
	expect(isOwnChange(known({ latestFacts: facts('b', 2900), edit: edit() }))).toBe(true);
	expect(isOwnChange(known({ latestFacts: facts('b', 3100), edit: edit() }))).toBe(false);
	expect(isOwnChange(known({ latestFacts: 'gone', noticedAt: 9000, edit: edit() }))).toBe(false);
});

it("a change dated within the millisecond of the result counts as the agent's own", () => {
	expect(isOwnChange(known({ latestFacts: facts('b', 3000.97), edit: edit() }))).toBe(true);
	expect(isOwnChange(known({ latestFacts: facts('b', 3001), edit: edit() }))).toBe(false);
});

it("a deletion counts as the agent's own even if it is reported seconds later", () => {
	expect(isOwnChange(known({ latestFacts: 'gone', noticedAt: 6000, edit: edit() }))).toBe(true);
});
