import type { AgentBundle, Secrets } from '@amodal/sdk'
import { readConnections } from './read.ts'

const NO_SECRETS: Secrets = {
  get: () => undefined,
  resolve: () => ({ ok: true, value: '' }),
  load: () => [],
  values: () => [],
  protect: () => () => undefined,
  mask: (text) => text,
}

/**
 * The bundle with the connections that its files describe. No secret is looked up and nothing
 * outside is asked, so these may be files that nobody has accepted yet.
 *
 * @returns the bundle with what is wrong with the connections among its issues
 * @example
 * const names = connectionsOf(await withConnections(bundle)).map(({ name }) => name)
 */
export const withConnections = (bundle: AgentBundle): Promise<AgentBundle> =>
  readConnections(bundle, NO_SECRETS)

// The reader of a single file, for a plugin that combines the rules of several.
export { readAccess } from './access.ts'
