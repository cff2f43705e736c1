/** Node's own `fetch`, which replaces the package that libraries use for Node versions without one. */

export default fetch;
