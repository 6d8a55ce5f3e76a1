import { slot, type Failure, type Result } from '@amodal/kernel'

/** The only reader of the environment. */
export interface Secrets {
  /** The value of a variable: the process's environment first, then the agent's `.env`. */
  get(name: string): string | undefined
  /**
   * Text as it is, or the value behind `env:NAME`; `ENV_NOT_SET` names the variable and where it
   * stands.
   *
   * @param kind `address`: only what is secret in it is masked from then on, a password and the
   *   values of its query, so that errors can say where a request went
   */
  resolve(text: string, where: string, kind?: 'secret' | 'address'): Result<string, Failure>
  /**
   * Adds the variables of the agent's `.env`; those of the process take precedence. Called by the
   * plugin that loads the agent's files. Loading the same path replaces its earlier variables.
   * Returns a message for each line that is no assignment.
   */
  load(file: { readonly path: string; readonly text: string }): readonly string[]
  /**
   * Values that must never be seen: all that `resolve` and `get` gave out for secret-like names.
   */
  values(): readonly string[]
  /**
   * A secret that came from elsewhere, such as an access token: never seen either, until the
   * returned function is called.
   */
  protect(value: string): () => void
  /**
   * Replaces every known secret value in a text, in plain, base64, hex and URL encoding, by
   * `[MASKED]`.
   */
  mask(text: string): string
}
export const Secrets = slot.kernel<Secrets>('secrets')
