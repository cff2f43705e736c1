/** The processes that serve clients, in one module, because each further file of a bundle delays a start by 0.5 ms. */

export { runDaemon } from './daemonProcess.ts';
export { serveProcess } from './serveProcess.ts';
