/**
 * A process that is killed while it forgets a text: `forgettingChild FOLDER TEXT`. It dies when the text is erased from the
 * archive in the folder, and not yet from the index.
 */

import { RecorderService } from '../../server/recorder/thread/recorderService.ts';
import { silentLogger } from './logger.ts';

const [folder = '', containing = ''] = process.argv.slice(2);
const { methods } = new RecorderService({ folder, home: folder, platform: 'linux' }, silentLogger, () => {});
void methods.forget?.({ containing } as never);
process.kill(process.pid, 'SIGKILL');
