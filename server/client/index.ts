/** The package's client: starts a daemon, and speaks to it in the words of the contract. */

export type { Client, ConnectOptions, Partly, RequestOptions } from './client.ts';
export { connect } from './connect.ts';
export { ConnectionError, RequestError } from './errors.ts';
export type { DaemonNotifications, DaemonRequests, Notifications, Requests } from './messages.ts';
