/** Reports how many MiB V8's space for new objects takes after many were created. */

import { getHeapSpaceStatistics } from 'node:v8';
import { limitNewSpace } from '../../server/daemon/newSpace.ts';

if (process.argv[2] === 'limited') limitNewSpace();
let objects: object[] = [];
for (let round = 0; round < 60; round++) {
	objects = Array.from({ length: 20_000 }, (_, index) => ({ text: `object ${index}` }));
}
const found = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
if (objects.length > 0) console.log((found?.space_size ?? 0) / 2 ** 20);
