/**
 * The structured log. `LOG_LEVEL` in the environment wins over the configured level.
 *
 * @example
 * use(logJson, { level: 'debug', format: 'pretty' })
 * use(logJson, { target: { write: (line: string) => lines.push(line) } })
 */
export declare const logJson: import("@amodal/sdk").Plugin;
export default logJson;
