import { expect, it } from 'vitest';
import { comparedCompaction } from '../../client-vscode/src/documents/compared.ts';

it('the right document of a past comparison names its session and compaction', () => {
	const query = JSON.stringify({ sessionId: 's', serial: 2, compactionId: 'c1' });
	expect(comparedCompaction({ scheme: 'contextd', query })).toEqual({ sessionId: 's', compactionId: 'c1' });
});

it('other documents name no compaction', () => {
	const query = JSON.stringify({ sessionId: 's', serial: 1 });
	expect(comparedCompaction({ scheme: 'contextd', query })).toBeUndefined();
	expect(comparedCompaction({ scheme: 'file', query: '' })).toBeUndefined();
});
