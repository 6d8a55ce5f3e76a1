import type { McpManager } from '@amodal/plugin-connect-mcp'
import {
  BundleSource,
  definePlugin,
  Log,
  ok,
  replace,
  SessionStore,
  use,
  StoreBackend,
  type AgentBundle,
  type Entry,
  type Logger,
  type Plugin,
} from '@amodal/sdk'

// What an embedding hands in as a value, in the slot that it fills.

export const givenBundle = (bundle: AgentBundle): Plugin =>
  definePlugin({
    name: 'given-bundle',
    version: '1.0.0',
    provides: [BundleSource],
    setup({ provide }) {
      provide(BundleSource, () => ({ where: 'code', load: () => Promise.resolve(ok(bundle)) }))
    },
  })

const LOG_METHODS = ['trace', 'debug', 'info', 'warn', 'error', 'child'] as const

/**
 * A log that lacks a method would fail whoever writes a line, also those who write down why
 * something failed.
 */
export function givenLog(logger: Logger): Plugin {
  const lacks = LOG_METHODS.filter((method) => typeof logger[method] !== 'function')
  if (lacks.length > 0) {
    throw Object.assign(
      new Error(
        `BAD_CONFIG: the \`logger\` given to createAgent lacks ${lacks.map((method) => `${method}()`).join(', ')}: ` +
          'give it one with trace, debug, info, warn and error, each (event, data?), and child(data), which returns a logger of the same kind (one without facts of its own may return itself)',
      ),
      { code: 'BAD_CONFIG' },
    )
  }
  return definePlugin({
    name: 'given-log',
    version: '1.0.0',
    provides: [Log],
    setup({ provide }) {
      provide(Log, () => logger)
    },
  })
}

export async function givenMcpManager(manager: McpManager): Promise<readonly Entry[]> {
  const lacks = (['getDiscoveredTools', 'callTool'] as const).filter(
    (method) => typeof manager[method] !== 'function',
  )
  if (lacks.length > 0)
    throw new Error(
      `\`mcpManager\` lacks ${lacks.map((method) => `${method}()`).join(' and ')}: give createAgent an object with both, or name the servers in connections/ or \`mcp.servers\``,
    )
  const { mcpManager } = await import('@amodal/plugin-connect-mcp')
  return [use(mcpManager(manager))]
}

/** What is asked of a `Pool` of `pg`; who has one has the package. */
export interface PgPool {
  readonly options: object
  readonly connect: unknown
}

export async function givenStoreBackend(backend: StoreBackend | PgPool): Promise<readonly Entry[]> {
  if (!('connect' in backend)) {
    return [
      replace(
        'stores-memory',
        definePlugin({
          name: 'given-store-backend',
          version: '1.0.0',
          provides: [StoreBackend],
          setup({ provide }) {
            provide(StoreBackend, () => backend)
          },
        }),
      ),
    ]
  }
  const [{ default: dbPostgres }, { default: storesDatabase }] = await Promise.all([
    import('@amodal/plugin-db-postgres'),
    import('@amodal/plugin-stores-database'),
  ])
  return [use<Plugin>(dbPostgres, { pool: backend }), replace('stores-memory', storesDatabase)]
}

export const givenSessionStore = (store: SessionStore): Entry =>
  replace(
    'sessions-memory',
    definePlugin({
      name: 'given-session-store',
      version: '1.0.0',
      provides: [SessionStore],
      setup({ provide }) {
        provide(SessionStore, () => store)
      },
    }),
  )
