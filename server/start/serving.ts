/** The processes that serve clients, in one module: each file of a bundle costs a start half a millisecond. */

export { runDaemon } from './daemonProcess.ts';
export { serveProcess } from './serveProcess.ts';
