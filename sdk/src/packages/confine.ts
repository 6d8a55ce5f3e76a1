import {
  PluginError,
  type Generation,
  type Plugin,
  type PluginApi,
  type Scope,
  type Slot,
  type Tap,
} from '@amodal/kernel'
import { Migrations, type MigrationList } from '../ports/database.ts'
import type { RouteTable } from '../ports/routes.ts'
import { Tools, type ToolDefinition, type ToolSource } from '../ports/tool.ts'
import type { PackageCapabilities } from './capabilities.ts'
import { Grants, type Services } from './grants.ts'
import { tablesOf } from './tables.ts'

/**
 * The confined form of each plugin, by its restrictions. Equal restrictions return the same object,
 * so that a reload carries the plugin over.
 */
const CONFINED = new WeakMap<Plugin, Map<string, Plugin>>()

/**
 * The same plugin, held to what its package says: hosts and secrets through the services that it is
 * given, tables and routes where it adds them. A host or a variable that the agent's own
 * configuration names is one that a person has allowed. What the plugin does without asking the
 * kernel, such as `fetch`, is out of reach here.
 *
 * @param capabilities that were accepted
 * @param config of the plugin, as amodal.json has it
 */
export function confined(
  plugin: Plugin,
  capabilities: PackageCapabilities,
  config: unknown,
): Plugin {
  const known = CONFINED.get(plugin) ?? new Map<string, Plugin>()
  CONFINED.set(plugin, known)
  const key = JSON.stringify([capabilities, config])
  const there = known.get(key)
  if (there) return there
  const setup: Plugin['setup'] = (api) =>
    plugin.setup(confinedApi(plugin, api, capabilities, config))
  const fields = { ...Object.getOwnPropertyDescriptors(plugin), setup: { value: setup } }
  // The cast: these are the plugin's own fields.
  const confinedPlugin = Object.freeze(Object.defineProperties({}, fields) as Plugin)
  known.set(key, confinedPlugin)
  return confinedPlugin
}

function confinedApi(
  { requires, optional }: Plugin,
  api: PluginApi,
  capabilities: PackageCapabilities,
  config: unknown,
): PluginApi {
  const grants = new Grants(api.name, capabilities, config, api.log)
  const services = grants.services()
  const refuse = (where: string, message: string): never => {
    throw new PluginError(api.name, 'setup', where, new Error(message), 'UNDECLARED')
  }
  const scopes = memo((scope: Scope) => confinedScope(scope, services))
  const generations = memo((generation: Generation) => confinedGeneration(generation, scopes))
  const deps = Object.entries({ ...optional, ...requires }).map(([name, token]) => {
    const given: unknown = isRecord(api.deps) ? api.deps[name] : undefined
    return [name, token.kind === 'slot' ? services.around(token, given) : given] as const
  })
  return {
    ...api,
    deps: Object.freeze(Object.fromEntries(deps)),
    generation: () => generations(api.generation()),
    provide: (slot, make) => api.provide(slot, (scope) => make(scopes(scope))),
    tap: (hook, fn, options) =>
      api.tap(hook, hook.name === 'http.routes' ? withRoutes(fn, grants) : fn, options),
    add: (registry, key, value, options) => {
      // entries are of the type of their registry
      if (registry.key === Migrations.key) checkTables(value as MigrationList, grants, refuse)
      const entry =
        registry.key === Tools.key ? confinedTools(value as ToolSource, services, scopes) : value
      api.add(registry, key, entry, options)
    },
  }
}

function checkTables(
  list: MigrationList,
  grants: Grants,
  refuse: (where: string, message: string) => never,
): void {
  const [undeclared] = tablesOf(list).filter((table) => !grants.allows('tables', table))
  if (undeclared !== undefined) refuse('migrations', grants.refusal('tables', undeclared))
}

/** A tap of `http.routes` whose table mounts declared paths alone. */
const withRoutes =
  (tap: Tap['fn'], grants: Grants): Tap['fn'] =>
  (...args: readonly unknown[]) => {
    const [table, ...others] = args as readonly [RouteTable, ...unknown[]] // of this hook
    const mount: RouteTable['mount'] = (prefix, handler, options) => {
      if (!grants.allows('routes', prefix)) throw new Error(grants.refusal('routes', prefix))
      table.mount(prefix, handler, options)
    }
    return tap({ mount }, ...others)
  }

const confinedTools = (
  source: ToolSource,
  services: Services,
  scopes: (scope: Scope) => Scope,
): ToolSource => ({
  ...(source.revision && { revision: (bundle) => source.revision?.(bundle) ?? '' }),
  ...(source.settled && { settled: (bundle) => source.settled?.(bundle) }),
  tools: (bundle) => source.tools(bundle).map((tool) => confinedTool(tool, services, scopes)),
})

/** What a call is given goes through the same checks as what `setup` is given. */
const confinedTool = (
  tool: ToolDefinition,
  services: Services,
  scopes: (scope: Scope) => Scope,
): ToolDefinition => ({
  ...tool,
  execute: (args, context) =>
    tool.execute(args, {
      ...context,
      outbound: services.bound(context.outbound),
      scope: scopes(context.scope as Scope), // a scope of a run, of which the context shows a part
    }),
})

function confinedScope(scope: Scope, services: Services): Scope {
  const around = <T>(slot: Slot<T>, found: T): T => services.around(slot, found) as T // wrapped
  return {
    kind: scope.kind,
    get: (slot) => around(slot, scope.get(slot)),
    find: (slot) => {
      const found = scope.find(slot)
      return found === undefined ? undefined : around(slot, found)
    },
    has: (slot) => scope.has(slot),
    child: (kind, seeds) => confinedScope(scope.child(kind, seeds), services),
    onClose: (undo) => scope.onClose(undo),
    close: () => scope.close(),
  }
}

const confinedGeneration = (
  generation: Generation,
  scopes: (scope: Scope) => Scope,
): Generation => ({
  id: generation.id,
  scope: scopes(generation.scope),
  hooks: generation.hooks,
  get log() {
    return generation.log
  },
  signal: generation.signal,
  get held() {
    return generation.held
  },
  registry: (token) => generation.registry(token),
  ownerOf: (token, key) => generation.ownerOf(token, key),
  hook: (token) => generation.hook(token),
  acquire: () => generation.acquire(),
  report: (error) => generation.report(error),
})

/** Keeps one result for each object, as long as that lives. */
function memo<A extends object, R>(make: (input: A) => R): (input: A) => R {
  const results = new WeakMap<A, { readonly result: R }>()
  return (input) => {
    const there = results.get(input) ?? { result: make(input) }
    results.set(input, there)
    return there.result
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
