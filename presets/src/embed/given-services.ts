import type { McpManager } from '@amodal/plugin-connect-mcp'
import {
  BundleSource,
  definePlugin,
  failure,
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
import { AmodalError } from './amodal-error.ts'

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
    throw AmodalError.of(
      failure(
        'BAD_CONFIG',
        `the \`logger\` given to createAgent lacks ${lacks.map((method) => `${method}()`).join(', ')}: give it one with trace, debug, info, warn and error, each (event, data?), and child(data), which returns a logger of the same kind (one without facts of its own may return itself)`,
      ),
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
    throw AmodalError.of(
      failure(
        'BAD_CONFIG',
        `\`mcpManager\` lacks ${lacks.map((method) => `${method}()`).join(' and ')}: give createAgent an object with both, or name the servers in connections/ or \`mcp.servers\``,
      ),
    )
  const { mcpManager } = await import('@amodal/plugin-connect-mcp')
  return [use(mcpManager(manager))]
}

/** What is asked of a `Pool` of `pg`; who has one has the package. */
export interface PgPool {
  readonly options: object
  readonly connect: unknown
}

/**
 * Keeps the documents of an embedded agent and its jobs in Postgres. The pool itself does as well;
 * it stays yours to close, and its database gets the tables.
 *
 * @throws {@link AmodalError} `BAD_CONFIG` where it is no pool of `pg`
 * @example
 * const agent = await createAgent({
 *   repoPath: './my-agent',
 *   storeBackend: createPostgresStoreBackend(new Pool({ connectionString: url })),
 * })
 * @see faq
 */
export function createPostgresStoreBackend(pool: PgPool): PgPool {
  if (typeof pool.connect === 'function' && typeof pool.options === 'object') return pool
  throw AmodalError.of(
    failure('BAD_CONFIG', 'createPostgresStoreBackend takes a `Pool` of the package `pg`'),
  )
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
  const [{ default: dbPostgres }, { default: storesDatabase }, { default: queueDatabase }] =
    await Promise.all([
      import('@amodal/plugin-db-postgres'),
      import('@amodal/plugin-stores-database'),
      import('@amodal/plugin-queue-database'),
    ])
  return [
    use<Plugin>(dbPostgres, { pool: backend }),
    replace('stores-memory', storesDatabase),
    // Runs of automations are kept in this database, and their jobs with them.
    replace('queue-memory', queueDatabase),
  ]
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
