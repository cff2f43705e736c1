/**
 * A process that is killed while it forgets a text: `forgettingChild FOLDER TEXT`. It ends when the text is erased from the
 * folder's archive, but not yet from the index.
 */

import { Archive } from '../../server/recorder/archive/archive.ts';
import { RecorderService } from '../../server/recorder/thread/recorderService.ts';
import { silentLogger } from './logger.ts';

const [folder = '', containing = ''] = process.argv.slice(2);
const { methods } = new RecorderService({ folder, home: folder, platform: 'linux' }, silentLogger, () => {});
// The archive is scrubbed after the text was erased from it, and before it is erased from the index.
Archive.prototype.scrub = () => process.kill(process.pid, 'SIGKILL');
void methods.forget?.({ containing } as never);
