// What other plugins may use: how a tool that is not listed gets listed, and whose outputs are not
// masked.

/**
 * A tool under this key in the session's state is listed from then on, as if `find_tools` had found
 * it.
 */
export const listedKey = (tool: string): string => `find_tools/${tool}`

/** Tools whose outputs stay in the conversation: the model goes by them for as long as it lasts. */
export const LASTING: ReadonlySet<string> = new Set(['activate_skill'])
