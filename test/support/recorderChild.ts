/**
 * A process that records one transcript until it is killed: `recorderChild ARCHIVE TRANSCRIPT`. It looks at the
 * transcript once for each line on stdin, and then writes a line to stdout.
 */

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Archive } from '../../server/recorder/archive/archive.ts';
import { LineTranscript } from '../../server/recorder/follow/lineTranscript.ts';

const [file = '', path = ''] = process.argv.slice(2);
const archive = new Archive(file);
const recording =
	archive.findByPath(path) ?? archive.create({ agent: 'claude-code', label: 'Claude Code', path });
const transcript = new LineTranscript(archive, recording.recordingId, path);

writeSync(1, 'open\n');
createInterface({ input: process.stdin }).on('line', () => {
	while (transcript.readMore().hasMore);
	writeSync(1, 'looked\n');
});
