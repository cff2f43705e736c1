/** The package's client: starts a daemon and exchanges messages of the protocol with it. */

export type { Client, ConnectOptions, DeepPartial, RequestOptions } from './client.ts';
export { connect } from './connect.ts';
export { ConnectionError, RequestError } from './errors.ts';
export type { DaemonNotifications, DaemonRequests, Notifications, Requests } from './messages.ts';
