/** Node's own `fetch`, in the place of the package that libraries bring in for a Node that has none. */

export default fetch;
