/**
 * A process that is killed while it forgets a text: `forgettingChild FOLDER TEXT`. It ends when the text is erased from the archive in the folder, but not yet from the index.
 */

import { Archive } from '../../server/recorder/archive/archive.ts';
import { RecorderService } from '../../server/recorder/thread/recorderService.ts';
import { silentLogger } from './logger.ts';

const [folder = '', containing = ''] = process.argv.slice(2);
const { methods } = new RecorderService({ folder, home: folder, platform: 'linux' }, silentLogger, () => {});
// The archive is scrubbed when the text is erased from it; the index follows later.
Archive.prototype.scrub = () => process.kill(process.pid, 'SIGKILL');
void methods.forget?.({ containing } as never);
