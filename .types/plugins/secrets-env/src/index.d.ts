/**
 * The environment, `.env`, `env:` references, and the key that seals what nobody may read.
 *
 * @example
 * use(secretsEnv, { dir: './my-agent' })
 * use(secretsEnv, { env: { GROQ_API_KEY: key } }) // embedded: the process's own environment is not looked at
 */
export declare const secretsEnv: import("@amodal/sdk").Plugin;
export default secretsEnv;
