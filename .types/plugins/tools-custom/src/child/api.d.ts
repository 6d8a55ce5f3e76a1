/** On what `defineToolHandler` returns. */
export declare const TOOL_HANDLER: unique symbol;
/**
 * Defines a tool in one file: its handler with everything that a `tool.json` would say.
 *
 * @param definition `description`, `handler(params, ctx)`, and what else a tool.json may have: `parameters`, `confirm`, `timeout` (ms), `env`, …
 */
export declare function defineToolHandler<T extends object>(definition: T): T;
