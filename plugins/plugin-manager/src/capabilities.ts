import {
  messageOf,
  silentLogger,
  trySync,
  type Capabilities,
  type Plugin,
  type PluginApi,
  type Result,
} from '@amodal/sdk'

/** Lists as a manifest has them. */
export type Listed = { readonly [K in keyof Capabilities]-?: readonly string[] }

/**
 * What a plugin does, found out by its `setup`, which registers and does no I/O: no service is
 * there while it runs.
 *
 * @param given a config that its schema takes
 */
export function capabilitiesOf(plugin: Plugin, given: unknown): Result<Listed, string> {
  const taps = new Set<string>()
  const adds = new Set<string>()
  const nothing = (): void => undefined
  const config = trySync(
    () => plugin.config?.parse(given) ?? {},
    (cause) => `its config has to be given (--config): ${messageOf(cause)}`,
  )
  if (!config.ok) return config
  const api: PluginApi = {
    name: plugin.name,
    config: config.value,
    deps: anything,
    log: silentLogger,
    tap: (hook) => void taps.add(hook.name),
    provide: nothing,
    add: (registry) => void adds.add(registry.id),
    decorate: nothing,
    onBoot: nothing,
    onDispose: nothing,
    generation: () => anything,
  }
  const ids = (tokens: readonly { readonly id: string }[]): readonly string[] =>
    [...new Set(tokens.map(({ id }) => id))].toSorted()
  return trySync(
    () => {
      plugin.setup(api)
      return {
        requires: ids([...Object.values(plugin.requires), ...Object.values(plugin.optional)]),
        provides: ids(plugin.provides),
        decorates: ids(plugin.decorates),
        taps: [...taps].toSorted(),
        adds: [...adds].toSorted(),
      }
    },
    (cause) => `its setup failed: ${messageOf(cause)}`,
  )
}

/** Stands for every service: whatever is asked of it, it gives itself. */
const anything: unknown = new Proxy(() => undefined, {
  get: (_target, key) => (key === 'then' ? undefined : anything),
  apply: () => anything,
})
