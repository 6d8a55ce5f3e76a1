/**
 * The one way out: every call of a tool, a connection or a model leaves through here.
 *
 * @example
 * const answer = await deps.outbound.request({ url: 'https://api.example.com/deals', method: 'GET', lease: ctx.lease, signal: ctx.signal })
 * if (!answer.ok) return { status: 'error', message: answer.error.message, code: answer.error.code }
 */
export declare const outbound: import("@amodal/sdk").Plugin;
export default outbound;
