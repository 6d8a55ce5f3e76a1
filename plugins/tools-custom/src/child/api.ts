// What `@amodalai/core`, `@amodalai/types` and `@amodal/sdk` are inside of a handler.

/** On what `defineToolHandler` returns. */
export const TOOL_HANDLER = Symbol.for('amodal.tool-handler')

/**
 * Defines a tool in one file: its handler with everything that a `tool.json` would say.
 *
 * @param definition `description`, `handler(params, ctx)`, and what else a tool.json may have:
 *   `parameters`, `confirm`, `timeout` (ms), `env`, …
 */
export function defineToolHandler<T extends object>(definition: T): T {
  return Object.freeze(Object.defineProperty({ ...definition }, TOOL_HANDLER, { value: true }))
}
