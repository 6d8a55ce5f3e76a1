import { failure, type Entry, type ModelConfig, use } from '@amodal/sdk'
import modelFailover from '@amodal/plugin-model-failover'
import { AmodalError } from './amodal-error.ts'

/** A provider of the chain: its name, or with the model and the account to use. */
export type FailoverLink = string | (Pick<ModelConfig, 'provider'> & Partial<ModelConfig>)

export interface FailoverOptions {
  /** In the order in which they are tried. */
  readonly providers: readonly FailoverLink[]
  /** Further calls of one model for the same request. Default 2. */
  readonly retries?: number
  /** ms before the first of them; doubled with each further one. Default 1,000. */
  readonly backoffMs?: number
}

/** Made by {@link createFailoverProvider}, for `provider` of `createAgent`. */
export interface FailoverProvider {
  readonly kind: 'failover'
  readonly links: readonly (Pick<ModelConfig, 'provider'> & Partial<ModelConfig>)[]
  readonly entries: readonly Entry[]
}

/**
 * A chain of model providers: where one fails, the next one takes the call. The same as
 * `"provider": "failover"` in `amodal.json`, or `fallback` of a model there.
 *
 * @throws {@link AmodalError} `BAD_CONFIG` where no provider is named
 * @example
 * const agent = await createAgent({
 *   repoPath: './my-agent',
 *   provider: createFailoverProvider({ providers: ['anthropic', 'openai'], retries: 2 }),
 *   env: process.env,
 * })
 * @see providers
 */
export function createFailoverProvider(options: FailoverOptions): FailoverProvider {
  const { providers, retries, backoffMs } = options
  if (providers.length === 0)
    throw AmodalError.of(
      failure('BAD_CONFIG', 'createFailoverProvider: `providers` is empty: name at least one'),
    )
  const settings = {
    ...(retries !== undefined && { retries }),
    ...(backoffMs !== undefined && { baseMs: backoffMs }),
  }
  return {
    kind: 'failover',
    links: providers.map((link) => (typeof link === 'string' ? { provider: link } : link)),
    entries: [use(modelFailover, settings)],
  }
}
